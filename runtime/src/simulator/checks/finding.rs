//! What a kernel did wrong, where, and which thread did it.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::defect::{Asynchronous, Defect};
use crate::backend::SharedBlocks;
use crate::simulator::registers::Mask;

/// A defect of a kernel, with the place where it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is wrong.
    #[serde(flatten)]
    pub defect: Defect,
    /// The instruction that shows it.
    pub site: Site,
    /// The program (block) that executed it: x, y, z.
    pub program: [u32; 3],
    /// The thread that did: of several, the lowest.
    pub thread: Thread,
}

impl Finding {
    /// Names programs by their places, where they share blocks and are warps of these.
    pub fn name_programs(&mut self, shared: SharedBlocks) {
        let place = |block: [u32; 3], warp: u32| {
            shared.place(block[0] * shared.programs_per_block + warp / shared.warps)
        };
        let name = |program: &mut [u32; 3], thread: &mut Thread| {
            *program = place(*program, thread.warp);
            let (warp, lane) = (thread.warp % shared.warps, thread.lane);
            let linear = 32 * warp + lane;
            *thread = Thread {
                linear,
                id: [linear, 0, 0],
                warp,
                lane,
            };
        };
        name(&mut self.program, &mut self.thread);
        match &mut self.defect {
            Defect::Race { earlier, .. } => name(&mut earlier.program, &mut earlier.thread),
            Defect::Deadlock { waits } => {
                for wait in waits {
                    wait.program = place(wait.program, wait.warp);
                    wait.warp %= shared.warps;
                }
            }
            _ => {}
        }
    }

    /// Of two programs that race, the lower one is named first, whichever ran first.
    pub fn order_parties(&mut self) {
        let Defect::Race {
            earlier,
            write,
            atomic,
            ..
        } = &mut self.defect
        else {
            return;
        };
        let place = |program: [u32; 3], thread: Thread| {
            let [x, y, z] = program;
            (z, y, x, thread.linear)
        };
        if earlier.program != self.program
            && place(earlier.program, earlier.thread) > place(self.program, self.thread)
        {
            std::mem::swap(&mut earlier.program, &mut self.program);
            std::mem::swap(&mut earlier.thread, &mut self.thread);
            std::mem::swap(&mut earlier.site, &mut self.site);
            std::mem::swap(&mut earlier.write, write);
            std::mem::swap(&mut earlier.atomic, atomic);
        }
    }

    /// The short, stable name of the defect.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.defect.code()
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.defect)?;
        write_place(f, "at", &self.site, self.program, self.thread)?;
        if let Some(earlier) = self.defect.earlier() {
            let verb = earlier.verb();
            writeln!(f)?;
            write_place(f, verb, &earlier.site, earlier.program, earlier.thread)?;
        }
        if let Defect::Deadlock { waits } = &self.defect {
            for waiting in waits {
                write!(f, "\n  {waiting}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// Two lines: the place in the user's source and the thread, then the instruction.
fn write_place(
    f: &mut Formatter<'_>,
    verb: &str,
    site: &Site,
    program: [u32; 3],
    thread: Thread,
) -> fmt::Result {
    let [x, y, z] = program;
    writeln!(f, "  {verb} {site} (program ({x}, {y}, {z}), {thread})")?;
    write!(f, "  PTX line {}: {}", site.ptx_line, site.instruction)
}

/// Where an instruction comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Site {
    /// The file of the kernel's source, if the PTX says.
    pub file: Option<String>,
    /// Its line there, from 1; 0 if not known.
    pub line: u32,
    /// Its column, from 1; 0 if not known.
    pub column: u32,
    /// Its line in the PTX, from 1.
    pub ptx_line: u32,
    /// Its text in the PTX.
    pub instruction: String,
}

impl Display for Site {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) if self.column != 0 => write!(f, "{file}:{}:{}", self.line, self.column),
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "PTX line {}", self.ptx_line),
        }
    }
}

/// A thread of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Thread {
    /// Its number in the program: x counts fastest.
    pub linear: u32,
    /// Its place: x, y, z.
    pub id: [u32; 3],
    /// Its warp.
    pub warp: u32,
    /// Its lane in the warp.
    pub lane: u32,
}

impl Display for Thread {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            linear, warp, lane, ..
        } = self;
        write!(f, "thread {linear}: warp {warp} lane {lane}")
    }
}

/// The other side of a conflict: an access that came before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Party {
    /// Whether it wrote.
    pub write: bool,
    /// Whether it was atomic.
    pub atomic: bool,
    /// Its program: x, y, z.
    pub program: [u32; 3],
    /// Its thread; of an asynchronous access, the one that issued it.
    pub thread: Thread,
    /// Its instruction.
    pub site: Site,
    /// Set if it goes on while the thread that issued it does.
    pub asynchronous: Option<Asynchronous>,
}

impl Party {
    /// What it did, in a word.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match (self.atomic, self.write) {
            (true, _) => "updated atomically at",
            (false, true) => "written at",
            (false, false) => "read at",
        }
    }
}

/// Lanes of a warp that wait for something that never comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Their program: x, y, z.
    pub program: [u32; 3],
    /// Their warp.
    pub warp: u32,
    /// The lanes, one bit each.
    pub lanes: Mask,
    /// Where they wait.
    pub site: Site,
    /// What for.
    pub what: String,
}

impl Display for Waiting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.program;
        let Self {
            warp,
            lanes,
            site,
            what,
            ..
        } = self;
        write!(f, "program ({x}, {y}, {z}), warp {warp}")?;
        if *lanes != Mask::MAX {
            write!(f, ", {}", super::defect::lanes(*lanes))?;
        }
        write!(f, ": waits for {what} at {site}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::checks::Space;

    fn site(line: u32, instruction: &str) -> Site {
        Site {
            file: Some("sum.tile".to_owned()),
            line,
            column: 5,
            ptx_line: line * 10,
            instruction: instruction.to_owned(),
        }
    }

    fn thread(warp: u32, lane: u32) -> Thread {
        let linear = warp * 32 + lane;
        Thread {
            linear,
            id: [linear, 0, 0],
            warp,
            lane,
        }
    }

    fn race() -> Finding {
        Finding {
            defect: Defect::Race {
                earlier: Party {
                    write: true,
                    atomic: false,
                    program: [2, 0, 0],
                    thread: thread(0, 0),
                    site: site(3, "st.shared.b32 [%r1], %r2;"),
                    asynchronous: None,
                },
                write: false,
                atomic: false,
                space: Space::Shared,
                address: 1024,
                bytes: 4,
            },
            site: site(4, "ld.shared.b32 %r3, [%r1];"),
            program: [2, 0, 0],
            thread: thread(1, 1),
        }
    }

    #[test]
    fn both_sides_of_a_race_are_named() {
        assert_eq!(
            race().to_string(),
            "race: 4 bytes of shared memory at 0x400 are read while another thread may still \
             write them: nothing orders the two\n  \
             at sum.tile:4:5 (program (2, 0, 0), thread 33: warp 1 lane 1)\n  \
             PTX line 40: ld.shared.b32 %r3, [%r1];\n  \
             written at sum.tile:3:5 (program (2, 0, 0), thread 0: warp 0 lane 0)\n  \
             PTX line 30: st.shared.b32 [%r1], %r2;"
        );
    }

    #[test]
    fn programs_of_one_block_are_named_by_their_places() {
        let mut finding = race();
        finding.name_programs(SharedBlocks {
            programs_per_block: 4,
            warps: 1,
            programs: [3, 5, 1],
            group: 0,
            group_axis: 0,
        });
        // Numbers 9 and 8.
        assert_eq!((finding.program, finding.thread), ([0, 3, 0], thread(0, 1)));
        let Defect::Race { earlier, .. } = finding.defect else {
            panic!("a race");
        };
        assert_eq!((earlier.program, earlier.thread), ([2, 2, 0], thread(0, 0)));
    }

    #[test]
    fn racing_programs_are_in_order() {
        let mut finding = race();
        finding.program = [1, 0, 0];
        finding.order_parties();
        assert_eq!((finding.program, finding.site.line), ([2, 0, 0], 3));
        let once = finding.clone();
        finding.order_parties();
        assert_eq!(finding, once);
    }

    #[test]
    fn without_source_lines_the_ptx_is_named() {
        let site = Site {
            file: None,
            ..site(7, "trap;")
        };
        assert_eq!(site.to_string(), "PTX line 70");
    }

    #[test]
    fn json_has_the_code_beside_the_fields() {
        let json = serde_json::to_value(race()).expect("serialises");
        assert_eq!(json["code"], "race");
        assert_eq!(json["earlier"]["site"]["line"], 3);
        assert_eq!(json["thread"]["warp"], 1);
    }
}
