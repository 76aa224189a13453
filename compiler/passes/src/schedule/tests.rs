use super::model::Resident;
use super::*;
use crate::diagnostic::remark::NoOverlap;
use crate::target::machine::{Machine, Unit, Work};

fn graph(text: &str) -> Graph {
    text.parse().expect("a graph")
}

/// Two products with work between, whose second one adds to a sum that the work scales: 0 and 5 run on their own.
fn two_products() -> Graph {
    graph(
        "0 asynchronous 64
         1 work 64 after 0
         2 work 2 after 1, 2'
         3 conversion 32 after 1
         4 work 64 after 2, 5'
         5 asynchronous 64 after 3 held, 4",
    )
}

#[test]
fn the_second_product_runs_beside_the_next_rounds_work() {
    let graph = two_products();
    let (schedule, refusal) = graph.schedule(232);
    assert_eq!(refusal, None);
    assert_eq!(
        text::steps(&schedule.steps),
        "0, 5', wait 1, 1, 2, wait 0, 4, 3"
    );
    assert_eq!(text::steps(&schedule.prologue), "0, wait 0, 1, 2, 4, 3");
    assert_eq!(text::steps(&schedule.epilogue), "5', wait 0");
    assert_eq!(schedule.overlapping(&graph), 2);
}

#[test]
fn without_registers_for_it_each_product_runs_in_its_round() {
    let (schedule, refusal) = two_products().schedule(100);
    assert!(matches!(
        refusal,
        Some(NoOverlap::Registers { available: 100, .. })
    ));
    assert!(!schedule.is_staggered());
    assert_eq!(
        text::steps(&schedule.steps),
        "0, wait 0, 1, 2, 3, 4, 5, wait 0"
    );
}

#[test]
fn what_is_held_is_live_until_it_is_waited_for() {
    // 64 of the first product, 64 of the sum, 32 that the second one reads, 2 of the row.
    let (schedule, _) = two_products().schedule(1000);
    assert_eq!(schedule.registers, 64 + 64 + 32 + 2);
}

#[test]
fn a_product_that_needs_the_last_sum_is_not_staggered() {
    // A state that the next iteration's first product reads: 0 needs 2 of the iteration before.
    let graph = graph(
        "0 asynchronous 64 after 2'
         1 work 64 after 0
         2 asynchronous 64 after 1 held",
    );
    let (schedule, refusal) = graph.schedule(1000);
    assert_eq!(refusal, Some(NoOverlap::Recurrence));
    assert_eq!(text::steps(&schedule.steps), "0, wait 0, 1, 2, wait 0");
}

#[test]
fn a_product_that_goes_on_with_the_sums_of_another_does_not_wait_for_it() {
    // 1 adds to 0, so only 4 needs what its iteration computes.
    let graph = graph(
        "0 asynchronous work 64
         1 asynchronous work 64 after 0 chained
         2 work 64 after 1
         3 conversion 32 after 2
         4 asynchronous work 64 after 3 held, 4'",
    );
    let (schedule, refusal) = graph.schedule(160);
    assert_eq!(refusal, None);
    assert_eq!(
        text::steps(&schedule.steps),
        "0, 1, 4', wait 1, 2, wait 0, 3"
    );
    assert_eq!(schedule.registers, 64 + 64 + 32);
    // The same, but that 1 waits for 0.
    let mut waits = graph;
    waits.edges[0].reason = Reason::Value;
    assert!(waits.schedule(160).0.check(&waits).is_ok());
    assert_eq!(
        schedule.check(&waits),
        Err("1 does not wait for 0".to_owned())
    );
}

#[test]
fn what_is_deferred_runs_with_the_first_of_those_who_need_it() {
    let graph = graph(
        "0 deferred
         1 asynchronous 64 after 0 order
         2 work 64 after 1
         3 deferred
         4 asynchronous 64 after 2 held, 3 order, 4'
         5 deferred
         6 asynchronous 64 after 2 held, 0 order, 5 order, 6'",
    );
    let (schedule, refusal) = graph.schedule(1000);
    assert_eq!(refusal, None);
    assert_eq!(schedule.stages, [0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn what_accesses_memory_in_order_stays_in_its_round() {
    let graph = graph(
        "0 asynchronous 64
         1 work 64 after 0
         2 asynchronous 64 after 1 held
         3 ordered after 2",
    );
    assert_eq!(graph.schedule(1000).1, Some(NoOverlap::Order));
}

#[test]
fn independent_products_start_together_and_are_waited_for_one_by_one() {
    let graph = graph(
        "0 asynchronous 32
         1 work 32 after 0
         2 asynchronous 32
         3 work 32 after 2, 1
         4 ordered after 3",
    );
    let (schedule, refusal) = graph.schedule(1000);
    assert_eq!(refusal, Some(NoOverlap::NothingToStagger));
    assert_eq!(
        text::steps(&schedule.steps),
        "0, 2, wait 1, 1, wait 0, 3, 4"
    );
    assert_eq!(schedule.overlapping(&graph), 2);
}

#[test]
fn what_is_only_spelled_in_another_way_is_nothing_to_stagger_for() {
    let graph = graph(
        "0 ordered 16
         1 work conversion 32 after 0
         2 asynchronous 64 after 1 held, 2'",
    );
    assert_eq!(graph.schedule(1000).1, Some(NoOverlap::NothingToStagger));
}

#[test]
fn what_a_late_operation_reads_is_made_anew_when_that_is_done() {
    // Nothing of the next iteration needs 2, but 1 makes what it reads.
    let graph = graph(
        "0 work 64
         1 work 32 after 0
         2 asynchronous 64 after 1 held",
    );
    let (schedule, refusal) = graph.schedule(1000);
    assert_eq!(refusal, None);
    assert_eq!(text::steps(&schedule.steps), "2', 0, wait 0, 1");
    assert_eq!(schedule.overlapping(&graph), 1);
}

#[test]
fn what_is_added_up_without_a_factor_runs_beside_the_next_iteration() {
    // The work needs no result of the second product: only its conversion waits for it.
    let graph = graph(
        "0 asynchronous 64
         1 work 64 after 0
         2 conversion 32 after 1
         3 asynchronous 64 after 2 held, 3'",
    );
    let (schedule, refusal) = graph.schedule(1000);
    assert_eq!(refusal, None);
    assert_eq!(text::steps(&schedule.steps), "0, 3', wait 1, 1, wait 0, 2");
}

#[test]
fn a_graph_is_what_its_text_says() {
    let graph = two_products();
    let text = graph.to_string();
    assert_eq!(text.parse(), Ok(graph));
    assert!(
        text.contains("  5  asynchronous   64  after 3 held, 4"),
        "{text}"
    );
    assert!(
        text.contains("  2  work            2  after 1, 2'"),
        "{text}"
    );
}

#[test]
fn text_that_is_no_graph_says_why() {
    for (text, why) in [
        ("1 work", "node 0 is expected, found `1`"),
        ("0 play", "`play` is no kind of node"),
        (
            "0 work\n1 work after x",
            "line 2: `x` is no number of a node",
        ),
        ("0 work after 0", "node 0 cannot come after 0"),
        ("0 work after 1'", "there is no node 1"),
        ("0 work\n1 work after 0 soon", "`soon` is no reason"),
        ("0 work\n0 work", "node 1 is expected"),
    ] {
        let found = text.parse::<Graph>().expect_err(text);
        assert!(found.contains(why), "{found}");
    }
}

#[test]
fn a_schedule_is_printed_with_what_runs_around_it() {
    let (schedule, _) = two_products().schedule(232);
    assert_eq!(
        schedule.to_string(),
        "prologue: 0, wait 0, 1, 2, 4, 3\n\
         loop: 0, 5', wait 1, 1, 2, wait 0, 4, 3\n\
         epilogue: 5', wait 0"
    );
}

/// A schedule of [`two_products`] with other steps.
fn with_steps(change: impl FnOnce(&mut Vec<Step>)) -> Result<(), String> {
    let graph = two_products();
    let (mut schedule, _) = graph.schedule(232);
    assert_eq!(schedule.check(&graph), Ok(()));
    change(&mut schedule.steps);
    schedule.check(&graph)
}

fn refuses(wrong: Result<(), String>, why: &str) {
    let found = wrong.expect_err("it is wrong");
    assert!(found.contains(why), "{found}");
}

#[test]
fn broken_schedules_are_refused() {
    let wait = |pending, node, stage| Step::Wait {
        pending,
        done: vec![(node, stage)],
    };
    // As it is: 0, 5', wait 1, 1, 2, wait 0, 4, 3.
    refuses(
        with_steps(|steps| steps.swap(2, 3)),
        "1 does not wait for 0",
    );
    refuses(
        with_steps(|steps| steps.swap(5, 6)),
        "4 does not wait for 5",
    );
    refuses(with_steps(|steps| steps.swap(5, 7)), "3 runs while 5");
    refuses(
        with_steps(|steps| steps[2] = wait(2, 0, 0)),
        "another number",
    );
    refuses(
        with_steps(|steps| steps[2] = wait(1, 5, 1)),
        "not the oldest",
    );
    refuses(
        with_steps(|steps| drop(steps.remove(3))),
        "does not wait for 1",
    );
    refuses(
        with_steps(|steps| drop(steps.remove(5))),
        "4 does not wait for 5",
    );
    let twice = Step::Run { node: 2, stage: 0 };
    refuses(with_steps(|steps| steps.insert(5, twice)), "twice");
}

/// The order of a loop is chosen by what its operations need, not by which they are.
#[test]
fn no_operation_and_no_kernel_has_a_name_here() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schedule");
    let files = [
        "candidates.rs",
        "check.rs",
        "mod.rs",
        "model.rs",
        "order.rs",
        "registers.rs",
        "report.rs",
        "text.rs",
    ];
    for file in files {
        let text = std::fs::read_to_string(folder.join(file)).expect("it is there");
        let text = text.to_lowercase();
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        let named = [
            "dot",
            "softmax",
            "attention",
            "matmul",
            "row",
            "rows",
            "sum",
            "sums",
            "exp",
            "exp2",
            "product",
            "products",
        ];
        let found = words.find(|word| named.contains(word));
        assert_eq!(found, None, "{file}");
    }
    let all = std::fs::read_dir(folder).expect("it is there").count();
    assert_eq!(all, files.len() + 1, "a file is not looked at");
}

/// A loop of two asynchronous operations with an exponential of each element between them, of a state of `d` columns and `n`
/// elements in each of 64 lines of a warpgroup: what was measured on an H200 without copies and masks.
fn measured_loop(d: u32, n: u32) -> Graph {
    let (elements, state) = (n / 2, d / 2);
    graph(&format!(
        "0 asynchronous {elements} tensor {} instructions {}
         1 work 2 alu {} issue {elements} latency 12 after 0
         2 work {elements} fma {elements} issue {elements} after 0, 1
         3 work {elements} xu {} issue {elements} after 2
         4 work 2 fma {elements} issue {elements} after 3
         5 work conversion {} alu {elements} issue {} after 3
         6 work {state} fma {state} issue {state} after 1, 7'
         7 asynchronous {state} tensor {} instructions {} after 5 held, 6",
        d * n / 32,
        d / 16,
        2 * elements,
        8 * elements,
        elements / 2,
        elements / 2,
        n * d / 32,
        n / 16,
    ))
}

#[test]
fn the_model_takes_as_long_as_the_card() {
    let machine = crate::target::Target::named("sm_90a").and_then(Machine::of);
    let machine = machine.expect("it was measured");
    // Columns, elements, warpgroups, whether in turn, whether the second operation runs an iteration later, clocks.
    for (d, n, warpgroups, in_turn, is_staggered, clocks) in [
        (128, 128, 1, false, false, 2027),
        (128, 128, 1, false, true, 1708),
        (128, 128, 2, false, false, 3140),
        (128, 128, 2, false, true, 2314),
        (128, 128, 2, true, true, 2296),
        (128, 176, 2, false, true, 3054),
        (128, 96, 2, false, true, 1815),
        (64, 128, 2, false, false, 2179),
        (64, 128, 2, false, true, 1894),
        (64, 128, 3, true, true, 2618),
    ] {
        let graph = measured_loop(d, n);
        let schedule = match is_staggered {
            true => graph.schedule(1000).0,
            false => graph.ordered(vec![0; graph.nodes.len()]),
        };
        assert_eq!(schedule.is_staggered(), is_staggered);
        let estimate = graph.estimate(
            &schedule.steps,
            machine,
            Resident::alone(warpgroups),
            in_turn,
        );
        let estimate = estimate.expect("it ends").clocks;
        let error = f64::from(estimate) / f64::from(clocks) - 1.0;
        assert!(
            error.abs() < 0.11,
            "{d} by {n} on {warpgroups}: {estimate} for {clocks}"
        );
    }
}

#[test]
fn warps_wait_for_their_instructions_where_no_unit_is_busy() {
    let machine = crate::target::Target::named("sm_90a").and_then(Machine::of);
    let machine = machine.expect("it was measured");
    for (d, waits) in [(64, true), (128, false)] {
        let graph = measured_loop(d, 128);
        let estimate = graph.estimate(
            &graph.schedule(1000).0.steps,
            machine,
            Resident::alone(2),
            true,
        );
        let estimate = estimate.expect("it ends");
        assert_eq!(
            estimate.waits_for_instructions(),
            waits,
            "{d}: {estimate:?}"
        );
    }
}

#[test]
fn programs_of_a_multiprocessor_share_its_units_but_no_turn() {
    let machine = crate::target::Target::named("sm_90a").and_then(Machine::of);
    let machine = machine.expect("it was measured");
    let graph = measured_loop(128, 128);
    let steps = graph.schedule(1000).0.steps;
    let played = |programs, warpgroups, in_turn| {
        let resident = Resident {
            programs,
            ..Resident::alone(warpgroups)
        };
        let estimate = graph.estimate(&steps, machine, resident, in_turn);
        estimate.expect("it ends")
    };
    let (one, several) = (played(1, 2, false), played(2, 1, false));
    assert_eq!((one.clocks, one.busy), (several.clocks, several.busy));
    // Alone in its program, a warpgroup has its turn always.
    assert_eq!(
        played(2, 1, true).clocks.abs_diff(several.clocks) / 100,
        0,
        "a turn costs little"
    );
    let (two, four) = (played(1, 2, true), played(2, 2, true));
    assert!(four.clocks > two.clocks * 3 / 2, "{four:?} for {two:?}");
    assert_eq!(four.busy, two.busy.map(|clocks| 2 * clocks));
    assert_eq!(four.resident.to_string(), "2 programs of 2 warpgroups");
    assert!(four.spans.iter().any(|span| span.warpgroup == 3));
}

#[test]
fn a_loop_waits_for_what_its_producer_computes() {
    let machine = crate::target::Target::named("sm_90a").and_then(Machine::of);
    let machine = machine.expect("it was measured");
    let graph = measured_loop(128, 128);
    let steps = graph.schedule(1000).0.steps;
    let clocks = |instructions| {
        let resident = Resident {
            producer: Work::instructions(Unit::Alu, instructions),
            ..Resident::alone(2)
        };
        let estimate = graph.estimate(&steps, machine, resident, true);
        estimate.expect("it ends").clocks
    };
    let (alone, little, much) = (clocks(0), clocks(10), clocks(2000));
    assert!(little.abs_diff(alone) < alone / 20, "{little} for {alone}");
    // Two clocks for each, at the rate that arithmetic reaches.
    assert!(much >= 4000, "{much}");
}

#[test]
fn the_fastest_candidate_comes_first_and_what_is_none_says_why() {
    let machine = crate::target::Target::named("sm_90a").and_then(Machine::of);
    let machine = machine.expect("it was measured");
    let graph = measured_loop(128, 128);
    let names = |list: Vec<candidates::Candidate>| -> Vec<(Vec<usize>, Option<NoOverlap>)> {
        let each = list.into_iter();
        each.map(|one| (one.late, one.outcome.err())).collect()
    };
    // All in one iteration is the same late or not: there is nothing that it is later than.
    let all = names(graph.candidates(1000, machine, Resident::alone(2)));
    assert_eq!(all[0], (vec![7], None));
    assert!(all.contains(&(vec![], None)), "{all:?}");
    let few = names(graph.candidates(150, machine, Resident::alone(2)));
    let registers = few.iter().find(|(late, _)| *late == [7]);
    assert!(
        matches!(registers, Some((_, Some(NoOverlap::Registers { .. })))),
        "{few:?}"
    );
}

#[test]
fn a_unit_that_is_asked_for_all_the_time_bounds_the_loop() {
    let machine = crate::target::Target::named("sm_90a").and_then(Machine::of);
    let machine = machine.expect("it was measured");
    let graph =
        graph("0 asynchronous 64 tensor 512 instructions 8\n1 work 64 fma 8 issue 8 after 0");
    let schedule = graph.schedule(1000).0;
    let estimate = graph.estimate(&schedule.steps, machine, Resident::alone(2), false);
    let estimate = estimate.expect("it ends");
    assert_eq!(estimate.bound()[0], (Unit::Tensor, 1024));
    assert!(
        estimate.clocks >= 1024 && estimate.clocks < 1100,
        "{}",
        estimate.clocks
    );
    let lines = report::drawing(&estimate);
    assert_eq!(lines.len(), 4);
    assert!(!lines[1].contains('.'), "{lines:?}");
}
