//! Shows any moment of a baked liquid.

use std::sync::Arc;

use crate::bake::baked::BakedFluid;
use crate::bake::frame::FrameReader;
use crate::bake::moment::Moment;
use crate::bake::shown::BakedFrame;
use crate::stored::error::SnapshotError;

/// Shows a baked liquid: any moment, in any order. Its memory is used again: when it is warm, it allocates nothing.
///
/// The next moment costs least; a frame is unpacked once. A jump unpacks the frames from the last key frame on. Going
/// back does that once for each key frame, and keeps some of the frames on the way.
///
/// See [`FluidBaker`](crate::FluidBaker) for an example.
#[derive(Clone, Debug)]
pub struct BakedPlayer {
    baked: Arc<BakedFluid>,
    reader: FrameReader,
    /// The frame before the moment, and the one after it.
    around: [Unpacked; 2],
    /// Frames that were passed on the way to an earlier one, from which those after them are reached.
    marks: Vec<Unpacked>,
    shown: BakedFrame,
}

/// A frame that was unpacked.
#[derive(Clone, Debug)]
struct Unpacked {
    /// Its number; `None` if there is none.
    number: Option<usize>,
    moment: Moment,
}

impl Unpacked {
    fn copy_from(&mut self, other: &Self) {
        self.number = other.number;
        self.moment.copy_from(&other.moment);
    }
}

impl BakedPlayer {
    /// Creates a player of a baked liquid, which several may share.
    pub fn new(baked: impl Into<Arc<BakedFluid>>) -> Self {
        let baked = baked.into();
        let none = Unpacked { number: None, moment: Moment::with_columns(baked.column_count()) };
        Self {
            baked,
            reader: FrameReader::default(),
            around: [none.clone(), none],
            marks: Vec::new(),
            shown: BakedFrame::default(),
        }
    }

    /// What it shows.
    pub fn baked(&self) -> &BakedFluid {
        &self.baked
    }

    /// The moment that was shown last.
    pub fn shown(&self) -> &BakedFrame {
        &self.shown
    }

    /// Shows a moment, in seconds after the first frame. Before the first frame it is the first one, and after the
    /// last the last; NaN counts as 0. Between two frames particles are on the straight way.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::Invalid`] for a frame that is damaged, which happens only if somebody made the
    /// checksum right again. [`shown`](Self::shown) is the moment before then.
    pub fn show(&mut self, time: f64) -> Result<&BakedFrame, SnapshotError> {
        let last = self.baked.frames() - 1;
        let time = time.max(0.0).min(self.baked.seconds());
        let frames = time / self.baked.frame_interval();
        let first = (frames as usize).min(last);
        let second = (first + 1).min(last);
        let part = if second > first { (frames - first as f64).clamp(0.0, 1.0) } else { 0.0 };
        let [before, after] = self.around.each_ref().map(|frame| frame.number);
        if after == Some(first) || before == Some(second) {
            self.around.swap(0, 1);
        }
        for (which, number) in [first, second].into_iter().enumerate() {
            if self.around[which].number != Some(number) {
                self.unpack(which, number)?;
            }
        }
        let moments = self.around.each_ref().map(|frame| &frame.moment);
        self.shown.show(&self.baked, moments, (time, part));
        Ok(&self.shown)
    }

    /// Unpacks a frame, from the nearest one before it that is known.
    fn unpack(&mut self, which: usize, number: usize) -> Result<(), SnapshotError> {
        let Self { baked, reader, around, marks, .. } = self;
        let key = baked.key_before(number);
        let goes_back = around[0].number.is_some_and(|now| number < now);
        if goes_back {
            let group = key..key + baked.settings().key_interval as usize;
            for mark in &mut *marks {
                mark.number = mark.number.filter(|marked| group.contains(marked));
            }
        }
        let known = |frame: &Unpacked| frame.number.filter(|known| (key..=number).contains(known));
        let [first, second] = around;
        let (target, other) = if which == 0 { (first, second) } else { (second, first) };
        let mut nearest = &*other;
        for mark in &*marks {
            if known(mark) > known(nearest) {
                nearest = mark;
            }
        }
        if known(nearest) > known(target) {
            target.copy_from(nearest);
        }
        let mut next = known(target).map_or(key, |now| now + 1);
        let stride = baked.settings().key_interval.isqrt().max(1) as usize;
        while next <= number {
            target.number = None;
            reader.read(baked.frame(next), baked.classes.len(), &mut target.moment)?;
            target.number = Some(next);
            if goes_back && next > key && (next - key).is_multiple_of(stride) {
                match marks.iter_mut().find(|mark| mark.number.is_none()) {
                    Some(mark) => mark.copy_from(target),
                    None => marks.push(target.clone()),
                }
            }
            next += 1;
        }
        Ok(())
    }
}
