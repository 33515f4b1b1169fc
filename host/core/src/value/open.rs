//! What is open around a place in JSON text.

/// The containers that are open around a place: for each, whether it is an object. Most lines never need the list.
#[derive(Default)]
pub(super) struct Open {
    depth: usize,
    /// The inmost ones, up to 64, the last opened in the lowest bit.
    near: u64,
    /// The others, 64 each.
    far: Vec<u64>,
}

impl Open {
    #[inline]
    pub(super) fn push(&mut self, object: bool) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.far.push(self.near);
        }
        self.near = self.near << 1 | u64::from(object);
        self.depth += 1;
    }

    #[inline]
    pub(super) fn inmost(&self) -> Option<bool> {
        (self.depth != 0).then_some(self.near & 1 == 1)
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.depth -= 1;
        self.near >>= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.near = self.far.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_opened_last_is_closed_first_at_any_depth() {
        let object = |at: usize| at.is_multiple_of(3) || at.is_multiple_of(7);
        for deepest in [1, 63, 64, 65, 127, 128, 129, 1000] {
            let mut open = Open::default();
            for round in 0..2 {
                (0..deepest).for_each(|at| open.push(object(at)));
                for at in (0..deepest).rev() {
                    assert_eq!(open.inmost(), Some(object(at)), "{at} of {deepest}, round {round}");
                    open.pop();
                }
                assert_eq!(open.inmost(), None);
            }
        }
    }
}
