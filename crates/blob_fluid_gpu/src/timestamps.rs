//! Timestamps of the passes of a tick.

use wgpu::{
    Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, Device,
    QUERY_RESOLVE_BUFFER_ALIGNMENT, QUERY_SET_MAX_QUERIES, QuerySet, QuerySetDescriptor, QueryType,
    Queue,
};

use crate::error::GpuError;
use crate::programs::GpuPass;
use crate::read::Copy;
use crate::scope::buffer;

/// The time of a pass in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// The pass.
    pub pass: GpuPass,
    /// Sum over all substeps, in milliseconds.
    pub milliseconds: f64,
}

/// The timestamps of a tick: before and after each pass of each substep.
#[derive(Debug)]
pub(crate) struct Timestamps {
    queries: QuerySet,
    resolved: Buffer,
    passes: Vec<GpuPass>,
    substeps: u32,
}

/// Times that a host watches.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub on: bool,
    /// Timestamps of a tick in flight.
    pub coming: Option<(Copy, Timestamps)>,
    pub newest: Vec<PassTime>,
}

impl Timestamps {
    /// Creates timestamps for these passes in `substeps` substeps. With very many substeps only the
    /// first ones are timed.
    pub(crate) fn new(
        device: &Device,
        passes: Vec<GpuPass>,
        substeps: u32,
    ) -> Result<Self, GpuError> {
        let of_substep = 2 * passes.len() as u32;
        let substeps = substeps.min(QUERY_SET_MAX_QUERIES / of_substep.max(1));
        let count = of_substep * substeps;
        let queries = device.create_query_set(&QuerySetDescriptor {
            label: Some("passes"),
            ty: QueryType::Timestamp,
            count,
        });
        let size = (8 * u64::from(count)).next_multiple_of(QUERY_RESOLVE_BUFFER_ALIGNMENT);
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = buffer(device, "timestamps", size, usage)?;
        Ok(Self { queries, resolved, passes, substeps })
    }

    fn count(&self) -> u32 {
        2 * self.passes.len() as u32 * self.substeps
    }

    /// The timestamps of a pass in a substep.
    pub(crate) fn writes(
        &self,
        substep: u32,
        pass: GpuPass,
    ) -> Option<ComputePassTimestampWrites<'_>> {
        let place = self.passes.iter().position(|timed| *timed == pass)?;
        let first = 2 * (substep * self.passes.len() as u32 + place as u32);
        (substep < self.substeps).then_some(ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Records the resolution of the timestamps, after the last substep.
    pub(crate) fn resolve(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.count(), &self.resolved, 0);
    }

    /// Requests the timestamps.
    pub(crate) fn copy(&self, device: &Device, queue: &Queue) -> Result<Copy, GpuError> {
        Copy::of(device, queue, &[(&self.resolved, 8 * u64::from(self.count()))])
    }

    /// Converts the bytes to times, where a step takes `period` nanoseconds.
    pub(crate) fn times(&self, bytes: &[u8], period: f32) -> Vec<PassTime> {
        let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let took = |pair: &[u64]| pair[1].saturating_sub(pair[0]) as f64 * f64::from(period);
        let time = |(place, pass): (usize, &GpuPass)| {
            let of_pass = stamps.chunks_exact(2).skip(place).step_by(self.passes.len());
            PassTime { pass: *pass, milliseconds: 1e-6 * of_pass.map(took).sum::<f64>() }
        };
        self.passes.iter().enumerate().map(time).collect()
    }
}
