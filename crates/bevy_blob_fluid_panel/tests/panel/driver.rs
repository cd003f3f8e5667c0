//! A panel without a window, and hands to work it with.

use bevy_blob_fluid::render::FluidDots;
use bevy_blob_fluid_panel::{FluidPanel, FluidPanelPlugin, FluidPanelTab};
use bevy_egui::egui;
use egui::accesskit::{Action, ActionData, ActionRequest, NodeId, Role, TreeId};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use crate::app::*;

/// The panel over an app.
pub struct Driver {
    harness: Harness<'static, App>,
}

/// A control, as those see it who cannot see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    pub role: Role,
    pub label: String,
    pub enabled: bool,
    pub least: Option<f64>,
    pub most: Option<f64>,
    pub target: (NodeId, TreeId),
}

/// An app without window or renderer, with a panel and a pool of the three default classes.
pub fn app() -> App {
    app_with(|_: &mut App| {})
}

/// The same with another plugin.
pub fn app_with(plugin: impl Plugin) -> App {
    let panel = FluidPanelPlugin { materials_folder: std::env::temp_dir(), ..default() };
    let mut app = app_of((BlobFluidPlugins::default(), panel, plugin));
    app.spawn(FluidContainer::from(Circle::new(120.0)));
    spawn_blob(&mut app);
    app.spawn(FluidDots::default());
    app.start();
    app.update();
    app
}

impl Driver {
    /// The panel of an app at a page, at 1280 by 720 points.
    pub fn new(app: App, tab: FluidPanelTab) -> Self {
        Self::sized(app, tab, 1280.0, 720.0)
    }

    /// The same in a window of another size, in points.
    pub fn sized(mut app: App, tab: FluidPanelTab, width: f32, height: f32) -> Self {
        app.resource_mut::<FluidPanel>().tab = tab;
        Self::over(app, width, height)
    }

    /// What is drawn of a panel in an app that lacks it.
    pub fn without_panel(app: App) -> Self {
        Self::over(app, 1280.0, 720.0)
    }

    fn over(app: App, width: f32, height: f32) -> Self {
        let harness =
            Harness::builder().with_size([width, height]).with_max_steps(20).build_ui_state(
                |ui, app: &mut App| bevy_blob_fluid_panel::show(ui.ctx(), app.world_mut()),
                app,
            );
        Self { harness }
    }

    pub fn app(&self) -> &App {
        self.harness.state()
    }

    pub fn app_mut(&mut self) -> &mut App {
        self.harness.state_mut()
    }

    /// Lets the panel settle.
    pub fn settle(&mut self) {
        self.harness.run_ok();
    }

    /// Everything that can be worked, from the top.
    pub fn controls(&self) -> Vec<Control> {
        let root = self.harness.root();
        root.children_recursive()
            .filter_map(|node| {
                let node = node.accesskit_node();
                let data = node.data();
                let works = [Action::Click, Action::SetValue, Action::Increment];
                let works = works.into_iter().any(|action| data.supports_action(action));
                let passive = matches!(
                    node.role(),
                    Role::Unknown | Role::GenericContainer | Role::Window | Role::ScrollBar
                );
                (works && !passive).then(|| Control {
                    role: node.role(),
                    label: node.label().unwrap_or_default(),
                    enabled: !node.is_disabled(),
                    least: node.min_numeric_value(),
                    most: node.max_numeric_value(),
                    target: node.locate(),
                })
            })
            .collect()
    }

    /// The control of that name; of several roles the first.
    #[track_caller]
    pub fn control(&self, label: &str) -> Control {
        let found = self.controls().into_iter().find(|control| control.label == label);
        found.unwrap_or_else(|| panic!("no control `{label}`: {:?}", self.labels()))
    }

    /// The number of that name, where it is typed.
    #[track_caller]
    pub fn typed(&self, label: &str) -> Control {
        let is_it = |control: &Control| control.label == label && control.role == Role::SpinButton;
        self.controls().into_iter().find(is_it).expect("a number")
    }

    pub fn has_control(&self, label: &str) -> bool {
        self.controls().iter().any(|control| control.label == label)
    }

    pub fn labels(&self) -> Vec<String> {
        self.controls().into_iter().map(|control| control.label).collect()
    }

    /// Whether a text is there that contains this.
    pub fn says(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
            || self
                .harness
                .root()
                .children_recursive()
                .any(|node| node.accesskit_node().value().is_some_and(|value| value.contains(text)))
    }

    pub fn click(&mut self, control: &Control) {
        self.request(control, Action::Click, None);
    }

    #[track_caller]
    pub fn click_on(&mut self, label: &str) {
        let control = self.control(label);
        assert!(control.enabled, "{label} is disabled");
        self.click(&control);
    }

    pub fn set(&mut self, control: &Control, value: f64) {
        self.request(control, Action::SetValue, Some(ActionData::NumericValue(value)));
    }

    /// Types into a field, in place of what it holds.
    pub fn type_into(&mut self, label: &str, text: &str) {
        let control = self.control(label);
        self.request(&control, Action::Focus, None);
        let all = egui::Modifiers::COMMAND;
        self.harness.key_press_modifiers(all, egui::Key::A);
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.harness.run_ok();
    }

    pub fn press_escape(&mut self) {
        self.press(egui::Key::Escape);
    }

    pub fn press(&mut self, key: egui::Key) {
        self.harness.key_press(key);
        self.harness.run_ok();
    }

    /// Where the keyboard is.
    pub fn focused(&self) -> Option<(NodeId, TreeId)> {
        let mut nodes = self.harness.root().children_recursive();
        let focused = nodes.find(|node| node.accesskit_node().is_focused());
        focused.map(|node| node.accesskit_node().locate())
    }

    /// Where a control is, in points.
    pub fn rect(&self, control: &Control) -> egui::Rect {
        let node = self
            .harness
            .root()
            .children_recursive()
            .find(|node| node.accesskit_node().locate() == control.target);
        node.expect("a living control").rect()
    }

    fn request(&mut self, control: &Control, action: Action, data: Option<ActionData>) {
        let (target_node, target_tree) = control.target;
        let request = ActionRequest { action, target_node, target_tree, data };
        self.harness.event(egui::Event::AccessKitActionRequest(request));
        self.harness.run_ok();
    }
}
