use super::*;

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
        Some(Refusal::Registers { available: 100, .. })
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
    // A state that the next round's first product reads: 0 needs 2 of the round before.
    let graph = graph(
        "0 asynchronous 64 after 2'
         1 work 64 after 0
         2 asynchronous 64 after 1 held",
    );
    let (schedule, refusal) = graph.schedule(1000);
    assert_eq!(refusal, Some(Refusal::Recurrence));
    assert_eq!(text::steps(&schedule.steps), "0, wait 0, 1, 2, wait 0");
}

#[test]
fn what_accesses_memory_in_order_stays_in_its_round() {
    let graph = graph(
        "0 asynchronous 64
         1 work 64 after 0
         2 asynchronous 64 after 1 held
         3 ordered after 2",
    );
    assert_eq!(graph.schedule(1000).1, Some(Refusal::Order));
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
    assert_eq!(refusal, Some(Refusal::NothingToStagger));
    assert_eq!(
        text::steps(&schedule.steps),
        "0, 2, wait 1, 1, wait 0, 3, 4"
    );
    assert_eq!(schedule.overlapping(&graph), 2);
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
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes/schedule");
    let files = [
        "check.rs",
        "mod.rs",
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
