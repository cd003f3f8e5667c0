// Touch screens and gamepads for programs that know a mouse and keys only, and sounds.

/** Keys of a gamepad's buttons, by their numbers in the standard layout, if the page names no other. */
const BUTTONS = { 0: "Space", 9: "KeyR", 12: "ArrowUp", 13: "ArrowDown", 14: "ArrowLeft", 15: "ArrowRight" };
/** Deflection of a stick that counts. */
const DEAD = 0.25;
/** Speed of the pointer at full deflection, in widths of the canvas per second. */
const SPEED = 0.6;

/** Sends the canvas a mouse event. Without coalesced events a move would be none. */
function mouse(canvas, type, x, y, button, buttons, id = 1) {
  const common = {
    pointerId: id, pointerType: "mouse", isPrimary: true, bubbles: true, cancelable: true,
    clientX: x, clientY: y, button, buttons,
  };
  const coalescedEvents = type === "pointermove" ? [new PointerEvent(type, common)] : [];
  canvas.dispatchEvent(new PointerEvent(type, { ...common, coalescedEvents }));
}

/** Sends the canvas a key. */
function key(canvas, code, down) {
  const name = code.replace(/^(Key|Digit)/, "").toLowerCase();
  const text = code.startsWith("Arrow") ? code : { Space: " ", Minus: "-", Equal: "=" }[code] ?? name;
  canvas.dispatchEvent(new KeyboardEvent(down ? "keydown" : "keyup", { code, key: text, bubbles: true }));
}

/** One finger is the left button; a second finger makes it the right one. */
function touch_as_mouse(canvas) {
  const fingers = new Map();
  let held = null;
  const press = (button, id) => {
    const { x, y } = fingers.get(id);
    mouse(canvas, "pointermove", x, y, -1, 0, id);
    mouse(canvas, "pointerdown", x, y, button, button === 0 ? 1 : 2, id);
    held = { button, id };
  };
  const release = () => {
    const { x, y } = fingers.get(held.id);
    mouse(canvas, "pointerup", x, y, held.button, 0, held.id);
    held = null;
  };
  const listen = (type, act) => canvas.addEventListener(type, (event) => {
    if (event.pointerType !== "touch") return;
    event.stopImmediatePropagation();
    event.preventDefault();
    act(event);
  }, { capture: true });
  listen("pointerdown", (event) => {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (held) {
      const { id } = held;
      release();
      press(2, id);
    } else {
      press(0, event.pointerId);
    }
  });
  listen("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (held?.id === event.pointerId) {
      mouse(canvas, "pointermove", event.clientX, event.clientY, -1, held.button === 0 ? 1 : 2, held.id);
    }
  });
  const lift = (event) => {
    if (held?.id === event.pointerId) release();
    fingers.delete(event.pointerId);
  };
  listen("pointerup", lift);
  listen("pointercancel", lift);
}

/** Buttons on the screen for the keys of the program, once a finger has touched it. */
function show_buttons(canvas, page) {
  const bar = document.getElementById("buttons");
  for (const [code, label] of page.buttons ?? []) {
    const button = document.createElement("button");
    button.textContent = label;
    // The canvas keeps the focus, without which it would release all keys.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      key(canvas, code, true);
    });
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => key(canvas, code, false));
    bar.append(button);
  }
  const show = () => { bar.hidden = false; };
  if (matchMedia("(pointer: coarse)").matches) show();
  addEventListener("pointerdown", (event) => { if (event.pointerType === "touch") show(); }, { capture: true });
}

/** The pad and the left stick are arrow keys; the right stick moves a pointer, and the triggers are its
 * buttons. */
function watch_gamepads(canvas, page) {
  const keys = { ...BUTTONS, ...page.gamepad };
  const pointer = document.getElementById("pointer");
  const down = new Set();
  let place = null;
  let buttons = 0;
  let before = performance.now();
  const watch = (now) => {
    const seconds = Math.min(0.1, (now - before) / 1e3);
    before = now;
    const pad = [...navigator.getGamepads()].find(Boolean);
    const wanted = new Set();
    if (pad) {
      for (const [number, code] of Object.entries(keys)) if (pad.buttons[number]?.pressed) wanted.add(code);
      const [x = 0, y = 0, right = 0, below = 0] = pad.axes;
      if (x < -DEAD) wanted.add("ArrowLeft");
      if (x > DEAD) wanted.add("ArrowRight");
      if (y < -DEAD) wanted.add("ArrowUp");
      if (y > DEAD) wanted.add("ArrowDown");
      const { clientWidth: width, clientHeight: height } = canvas;
      const pressed = (pad.buttons[7]?.pressed ? 1 : 0) + (pad.buttons[6]?.pressed ? 2 : 0);
      if (Math.hypot(right, below) > DEAD || (pressed !== buttons && place === null)) {
        place ??= { x: width / 2, y: height / 2 };
        place.x = Math.min(width, Math.max(0, place.x + right * SPEED * width * seconds));
        place.y = Math.min(height, Math.max(0, place.y + below * SPEED * width * seconds));
        pointer.hidden = false;
        pointer.style.translate = `${place.x}px ${place.y}px`;
        mouse(canvas, "pointermove", place.x, place.y, -1, buttons);
      }
      for (const [bit, button] of [[1, 0], [2, 2]]) {
        if ((pressed & bit) === (buttons & bit)) continue;
        const type = pressed & bit ? "pointerdown" : "pointerup";
        mouse(canvas, type, place.x, place.y, button, pressed);
      }
      buttons = pressed;
    }
    for (const code of wanted) if (!down.has(code)) { key(canvas, code, true); down.add(code); }
    for (const code of down) if (!wanted.has(code)) { key(canvas, code, false); down.delete(code); }
    requestAnimationFrame(watch);
  };
  addEventListener("gamepadconnected", () => requestAnimationFrame(watch), { once: true });
}

/** Browsers keep sounds back until somebody has touched the page. To be called before the program starts. */
export function hear_after_a_touch() {
  const { AudioContext } = window;
  if (!AudioContext) return;
  const silent = new Set();
  window.AudioContext = class extends AudioContext {
    constructor(...options) {
      super(...options);
      silent.add(this);
    }
  };
  const resume = () => silent.forEach((context) => context.resume().then(() => silent.delete(context)));
  for (const type of ["pointerup", "keydown"]) addEventListener(type, resume, { capture: true });
}

/** Connects what the program does not know to what it knows. */
export function connect(canvas, page) {
  if (page.touch !== "own") touch_as_mouse(canvas);
  show_buttons(canvas, page);
  watch_gamepads(canvas, page);
}
