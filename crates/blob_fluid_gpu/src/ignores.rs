//! Refused and ignored settings.

use blob_fluid::{DensityClass, FluidShape, FluidSolver, IgnoredSetting, Liquid};

use crate::error::GpuError;

/// Whether a liquid is supported on a graphics card, for hosts that check before any preparation.
///
/// ```
/// use blob_fluid::{FluidParameters, FluidSolver, FluidWorld};
/// let mut world = FluidWorld::default();
/// assert!(blob_fluid_gpu::supported(world.liquid()).is_ok());
/// world.set_parameters(FluidParameters { solver: FluidSolver::Sph, ..*world.parameters() })?;
/// assert!(blob_fluid_gpu::supported(world.liquid()).is_err());
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
///
/// # Errors
///
/// [`GpuError::Solver`], [`GpuError::Containers`], [`GpuError::ContainerShape`] and [`GpuError::Pools`], for settings
/// that the GPU lacks and that change the whole liquid.
pub fn supported(liquid: &Liquid) -> Result<(), GpuError> {
    let solver = liquid.parameters().solver;
    if solver != FluidSolver::DoubleDensity {
        return Err(GpuError::Solver(solver.name()));
    }
    let containers = liquid.containers().count();
    if containers > 1 {
        return Err(GpuError::Containers(containers));
    }
    for (_, container) in liquid.containers() {
        if matches!(container.shape(), FluidShape::Polyline(_)) {
            return Err(GpuError::ContainerShape);
        }
    }
    if liquid.pools().next().is_some() {
        return Err(GpuError::Pools);
    }
    Ok(())
}

/// The settings of a liquid that the GPU ignores, in addition to those that the solver
/// [ignores](Liquid::ignored_settings).
///
/// ```
/// use blob_fluid::{ClassTable, DensityClass, FluidPaint, FluidWorld};
/// let mut world = FluidWorld::default();
/// assert_eq!(blob_fluid_gpu::ignored_settings(world.liquid()), []);
/// let paint = Some(FluidPaint::default());
/// world.set_classes(ClassTable::new(vec![DensityClass { paint, ..DensityClass::default() }])?)?;
/// assert_eq!(blob_fluid_gpu::ignored_settings(world.liquid())[0].setting, "class.paint");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ignored_settings(liquid: &Liquid) -> Vec<IgnoredSetting> {
    let parameters = liquid.parameters();
    let classes = || liquid.classes().iter();
    let pairs = liquid.classes().pairs();
    // Whether a tick of one substep would need several sweeps.
    let sweeps = |linear: f32| {
        linear * parameters.max_time_step / parameters.time_unit() > parameters.viscosity.limit
    };
    // The value of two classes is their mean times a factor.
    let linear = |class: &DensityClass| {
        class.viscosity.map_or(parameters.viscosity.linear, |own| own.linear)
    };
    let mut linears: Vec<_> = classes().map(linear).collect();
    linears.sort_unstable_by(|one, other| other.total_cmp(one));
    let between = match linears[..] {
        [first, second, ..] => 0.5 * (first + second) * parameters.viscosity.cross_class,
        _ => 0.0,
    };
    let several_sweeps = sweeps(parameters.viscosity.linear)
        || sweeps(between)
        || classes().any(|class| class.viscosity.is_some_and(|own| sweeps(own.linear)))
        || pairs.iter().any(|pair| pair.viscosity.is_some_and(|own| sweeps(own.linear)));
    let rows = [
        (
            "force_fields",
            "Force fields are the host's code, and do not act on a device.",
            !liquid.force_fields().is_empty(),
        ),
        (
            "class.elasticity",
            "A device has no springs.",
            classes().any(|class| class.elasticity.is_some()),
        ),
        (
            "class.powder",
            "A device has no friction between grains, and nothing seeps through them: powder is a plain liquid on it.",
            classes().any(|class| class.powder.is_some()),
        ),
        (
            "class.paint",
            "A device has no paint: all particles have the colour of their class.",
            classes().any(|class| class.paint.is_some()),
        ),
        (
            "class.into_air",
            "A device has no air: nothing boils away or burns on it.",
            classes().any(|class| class.thermal.into_air.is_some()),
        ),
        (
            "class.latent_heat",
            "On a device changes take no latent heat: liquid that is hot enough changes at once.",
            classes().any(|class| class.thermal.latent_heat > 0.0 && class.thermal.above.is_some()),
        ),
        (
            "class.air_conductivity",
            "A device has no air: none warms or cools liquid on it.",
            classes().any(|class| class.thermal.air_conductivity > 0.0),
        ),
        (
            "viscosity.linear",
            "A device makes one sweep of viscosity: thick liquid is thinner on it in long substeps.",
            several_sweeps,
        ),
    ];
    let asked = rows.into_iter().filter(|(.., asked)| *asked);
    asked
        .map(|(setting, meaning, _)| IgnoredSetting { setting, meaning: meaning.to_owned() })
        .collect()
}
