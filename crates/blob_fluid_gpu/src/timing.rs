//! Times of the passes, by timestamps of the device.

use blob_fluid::Liquid;
use wgpu::{
    BufferDescriptor, BufferUsages, ComputePassTimestampWrites, Features, QuerySetDescriptor,
    QueryType,
};

use crate::error::GpuError;
use crate::liquid::GpuLiquid;
use crate::pass::GpuPass;
use crate::read::Copy;
use crate::scope::guarded;

/// The time of a pass in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// The pass.
    pub pass: GpuPass,
    /// Milliseconds of all substeps together.
    pub milliseconds: f64,
}

impl GpuLiquid {
    /// As [`step`](Self::step), waits for the device, and returns the time that each pass that ran took there.
    /// Those of drains and of the report are not among them.
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step) and [`read_particles`](Self::read_particles), and
    /// [`GpuError::NoTimestamps`].
    pub fn step_timed(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
    ) -> Result<Vec<PassTime>, GpuError> {
        if !self.device().0.features().contains(Features::TIMESTAMP_QUERY) {
            return Err(GpuError::NoTimestamps);
        }
        let device = self.device.clone();
        guarded(&device, || self.time_tick(liquid, time_step))
    }

    fn time_tick(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
    ) -> Result<Vec<PassTime>, GpuError> {
        let substeps = self.begin_tick(liquid, time_step)?.substeps;
        if substeps > 0 {
            let mut encoder = self.encoder();
            self.encode_drains(&mut encoder);
            self.device().1.submit([encoder.finish()]);
        }
        let (device, queue) = self.device();
        // A device would wait for timestamps that nothing writes.
        let running: Vec<_> = GpuPass::ALL.into_iter().filter(|pass| self.runs(*pass)).collect();
        let passes = running.len();
        let mut nanoseconds = vec![0.0; passes];
        // A set of queries for each substep, because sets are limited.
        let count = 2 * passes as u32;
        let bytes = 8 * u64::from(count);
        for _ in 0..substeps {
            let queries = device.create_query_set(&QuerySetDescriptor {
                label: Some("passes"),
                ty: QueryType::Timestamp,
                count,
            });
            let resolved = device.create_buffer(&BufferDescriptor {
                label: Some("timestamps"),
                size: bytes,
                usage: BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let mut encoder = self.encoder();
            for (index, pass) in running.iter().enumerate() {
                let first = 2 * index as u32;
                let writes = ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(first),
                    end_of_pass_write_index: Some(first + 1),
                };
                self.encode(*pass, &mut encoder, Some(writes));
            }
            encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
            queue.submit([encoder.finish()]);
            let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(
                &Copy::of(device, queue, &resolved, bytes)?.wait(device)?,
            );
            let period = f64::from(queue.get_timestamp_period());
            for (time, stamps) in nanoseconds.iter_mut().zip(stamps.chunks_exact(2)) {
                *time += stamps[1].saturating_sub(stamps[0]) as f64 * period;
            }
        }
        if substeps > 0 {
            self.end_step(self.encoder(), liquid.classes().len())?;
        }
        let times = running.into_iter().zip(nanoseconds);
        Ok(times.map(|(pass, time)| PassTime { pass, milliseconds: 1e-6 * time }).collect())
    }
}
