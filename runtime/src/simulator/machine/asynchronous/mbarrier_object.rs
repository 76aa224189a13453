//! The state of an mbarrier: a phase that ends when all arrivals and all bytes are there (PTX ISA,
//! "Phase of the mbarrier object").
//!
//! The 8 bytes in shared memory hold, from bit 0 on:
//!
//! | bits | what |
//! |---|---|
//! | 0..20 | arrivals that the current phase still waits for |
//! | 20..40 | arrivals that a phase waits for |
//! | 40..61 | bytes that the current phase still waits for, in two's complement |
//! | 61 | parity of the current phase |
//! | 62..64 | `10` |
//!
//! The block keeps each object beside its bytes, so that bytes that something else has overwritten
//! are no mbarrier any more.

/// The largest count of arrivals, and the largest number of bytes outstanding.
pub const LARGEST: u32 = (1 << 20) - 1;

/// An mbarrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MbarrierObject {
    /// Arrivals that a phase waits for.
    pub expected: u32,
    /// Arrivals that the current phase still waits for.
    pub pending: u32,
    /// Bytes that the current phase still waits for; negative if more have come than were asked
    /// for so far.
    pub bytes: i64,
    /// Phases that have ended.
    pub phase: u64,
}

/// What the bytes, or a state that an arrival gave, say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The parity of the phase.
    pub parity: bool,
    /// Arrivals that it waited for.
    pub pending: u32,
}

impl State {
    /// Takes the bytes apart; `None` if they are not those of an mbarrier.
    #[must_use]
    pub const fn decode(bits: u64) -> Option<Self> {
        if bits >> 62 != 0b10 {
            return None;
        }
        Some(Self {
            parity: bits >> 61 & 1 == 1,
            pending: (bits & LARGEST as u64) as u32,
        })
    }
}

/// What goes wrong, in words that follow "the mbarrier at …".
type Refused<T> = Result<T, String>;

impl MbarrierObject {
    /// A new one.
    pub fn new(count: u32) -> Refused<Self> {
        if !(1..=LARGEST).contains(&count) {
            return Err(format!(
                "is initialised with a count of {count}; it must be 1 to {LARGEST}"
            ));
        }
        Ok(Self {
            expected: count,
            pending: count,
            bytes: 0,
            phase: 0,
        })
    }

    /// The 8 bytes.
    #[must_use]
    pub const fn encode(&self) -> u64 {
        self.pending as u64
            | (self.expected as u64) << 20
            | (self.bytes.cast_unsigned() & 0x1f_ffff) << 40
            | (self.phase & 1) << 61
            | 0b10 << 62
    }

    /// The parity of the current phase.
    #[must_use]
    pub const fn parity(&self) -> bool {
        self.phase & 1 == 1
    }

    /// So many arrivals. Gives whether the phase has ended.
    pub fn arrive(&mut self, count: u32) -> Refused<bool> {
        if !(1..=LARGEST).contains(&count) {
            return Err(format!(
                "is arrived at with a count of {count}; it must be 1 to {LARGEST}"
            ));
        }
        self.pending = self.pending.checked_sub(count).ok_or_else(|| {
            format!(
                "is arrived at {count} times, but its phase {} waits for {} of {} arrivals",
                self.phase, self.pending, self.expected
            )
        })?;
        Ok(self.step())
    }

    /// Later phases wait for so many arrivals less.
    pub fn drop_out(&mut self, count: u32) -> Refused<()> {
        self.expected = self.expected.checked_sub(count).ok_or_else(|| {
            format!(
                "is to expect {count} arrivals less, but expects only {}",
                self.expected
            )
        })?;
        Ok(())
    }

    /// One more arrival is waited for in this phase, that of copies.
    pub fn expect_arrival(&mut self) -> Refused<()> {
        if self.pending == LARGEST {
            return Err(format!(
                "waits for {LARGEST} arrivals and can wait for no more"
            ));
        }
        self.pending += 1;
        Ok(())
    }

    /// The phase waits for so many bytes more, or fewer. Gives whether it has ended.
    pub fn transact(&mut self, bytes: i64) -> Refused<bool> {
        let sum = self.bytes.saturating_add(bytes);
        if sum.unsigned_abs() > u64::from(LARGEST) {
            return Err(format!(
                "has {} bytes outstanding and then {sum}; the count must stay within ±{LARGEST}",
                self.bytes
            ));
        }
        self.bytes = sum;
        Ok(self.step())
    }

    /// Ends the phase if nothing is outstanding.
    const fn step(&mut self) -> bool {
        let over = self.pending == 0 && self.bytes == 0;
        if over {
            self.phase += 1;
            self.pending = self.expected;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_when_arrivals_and_bytes_are_there() {
        let mut object = MbarrierObject::new(2).expect("valid");
        assert_eq!(object.transact(64), Ok(false));
        assert_eq!(object.arrive(2), Ok(false));
        assert_eq!(object.transact(-48), Ok(false));
        assert_eq!((object.phase, object.pending), (0, 0));
        assert_eq!(object.transact(-16), Ok(true));
        assert_eq!((object.phase, object.pending), (1, 2));
    }

    #[test]
    fn bytes_may_come_before_they_are_expected() {
        let mut object = MbarrierObject::new(1).expect("valid");
        assert_eq!(object.transact(-32), Ok(false));
        assert_eq!(
            State::decode(object.encode()).map(|state| state.pending),
            Some(1)
        );
        assert_eq!(object.transact(32), Ok(false));
        assert_eq!(object.arrive(1), Ok(true));
    }

    #[test]
    fn a_thread_that_drops_out_is_not_waited_for_again() {
        let mut object = MbarrierObject::new(2).expect("valid");
        object.drop_out(1).expect("one less");
        assert_eq!(object.arrive(1), Ok(false));
        assert_eq!(object.arrive(1), Ok(true));
        assert_eq!(object.arrive(1), Ok(true));
        assert!(object.parity() == (object.phase == 1));
    }

    #[test]
    fn counts_that_do_not_fit_are_refused() {
        assert!(MbarrierObject::new(0).is_err());
        assert!(MbarrierObject::new(1 << 20).is_err());
        let mut object = MbarrierObject::new(1).expect("valid");
        assert!(object.arrive(2).is_err());
        assert!(object.transact(1 << 20).is_err());
        assert!(object.transact(-(1 << 20)).is_err());
        assert!(State::decode(0).is_none());
    }
}
