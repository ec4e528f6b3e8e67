/* The page that moves: one moment of a trial, shown by the figure, by marks on all curves and by the slider alike.
   Needs no network and no library. Words from files are set as text only, never as HTML. */
"use strict";
(function () {
  const NS = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);
  const W = 300, H = 190, LEFT = 40, RIGHT = 292, TOP = 24, BOTTOM = 164;
  const state = { trial: 0, frame: 0, playing: false, speed: 1, tab: 0 };
  const panels = []; // what was drawn: { tab, svg, cursor, panel, y }
  const decoded = new Map();
  let clips = 0;
  let rotation = turned(0.5, 0.15);

  /* ------------------------------------------------------------------------------------------------------- numbers */
  function numbers(k) { // blob -> Float64Array; whole numbers of 16 bits, the least stands for "not known"
    if (decoded.has(k)) return decoded.get(k);
    const blob = data.blobs[k], text = atob(blob.data), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const whole = new DataView(bytes.buffer), out = new Float64Array(text.length / 2);
    for (let i = 0; i < out.length; i++) {
      const n = whole.getInt16(2 * i, true);
      out[i] = n === -32768 ? NaN : blob.low + blob.step * (n + 32767);
    }
    decoded.set(k, out);
    return out;
  }

  function turned(yaw, pitch) { // rows: to the right, up and towards the eye, in X forward, Y up, Z right
    const c = Math.cos(yaw), s = Math.sin(yaw), d = Math.cos(pitch), t = Math.sin(pitch);
    return [[c, 0, -s], [-t * s, d, -t * c], [d * s, t, d * c]];
  }

  function times(a, b) {
    return a.map((row) => b[0].map((_, j) => row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]));
  }

  function at(values, count, share) { // of `count` values, share 0 to 1, between neighbours
    const x = Math.min(count - 1, Math.max(0, share * (count - 1))), k = Math.min(count - 2, Math.floor(x));
    return values[k] + (x - k) * (values[k + 1] - values[k]);
  }

  /* -------------------------------------------------------------------------------------------------------- curves */
  function make(parent, tag, attributes, words) {
    const one = document.createElementNS(NS, tag);
    for (const key in attributes) one.setAttribute(key, attributes[key]);
    if (words !== undefined) one.textContent = words;
    parent.appendChild(one);
    return one;
  }

  function x(percent) { return LEFT + (RIGHT - LEFT) * percent / 100; }

  function path(values, y) {
    let text = "", pen = "M";
    for (let k = 0; k < values.length; k++) {
      if (Number.isNaN(values[k])) { pen = "M"; continue; }
      text += pen + x(100 * k / (values.length - 1)).toFixed(1) + " " + y(values[k]).toFixed(1);
      pen = "L";
    }
    return text;
  }

  function area(low, high, y) { // closed, over the stretch where both edges are known
    const up = [], down = [];
    for (let k = 0; k < low.length; k++) {
      if (Number.isNaN(low[k]) || Number.isNaN(high[k])) continue;
      const px = x(100 * k / (low.length - 1)).toFixed(1);
      up.push(px + " " + y(high[k]).toFixed(1));
      down.unshift(px + " " + y(low[k]).toFixed(1));
    }
    return up.length ? "M" + up.concat(down).join("L") + "Z" : "";
  }

  function statistics(values, cycles, samples) {
    const mean = new Float64Array(samples), sd = new Float64Array(samples);
    for (let i = 0; i < samples; i++) {
      let n = 0, sum = 0, squares = 0;
      for (let c = 0; c < cycles; c++) {
        const v = values[c * samples + i];
        if (!Number.isNaN(v)) { n++; sum += v; }
      }
      mean[i] = n ? sum / n : NaN;
      for (let c = 0; c < cycles; c++) {
        const v = values[c * samples + i];
        if (!Number.isNaN(v)) squares += (v - mean[i]) * (v - mean[i]);
      }
      sd[i] = n > 1 ? Math.sqrt(squares / (n - 1)) : NaN;
    }
    return { mean: mean, sd: sd };
  }

  function ticks(low, high) {
    const raw = (high - low) / 5, ten = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((one) => one * ten).find((one) => one >= raw * 0.999);
    const out = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) out.push(Math.abs(v) < 1e-9 * step ? 0 : v);
    return out;
  }

  function drawPanel(place, panel, tab) {
    const svg = make(place, "svg", { viewBox: "0 0 " + W + " " + H, role: "img", class: "panel" });
    make(svg, "title", {}, panel.title);
    make(svg, "text", { x: LEFT, y: 14, class: "name" }, panel.title);
    const rise = (BOTTOM - TOP) / (panel.high - panel.low), y = (value) => BOTTOM - (value - panel.low) * rise;
    if (panel.missing) {
      const box = make(svg, "foreignObject", { x: LEFT, y: 60, width: RIGHT - LEFT, height: 80 });
      const words = document.createElement("p");
      words.className = "missing";
      words.textContent = panel.missing;
      box.appendChild(words);
      return;
    }
    const id = "clip-" + ++clips, clip = make(make(svg, "defs", {}), "clipPath", { id: id });
    make(clip, "rect", { x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP });
    for (const value of ticks(panel.low, panel.high)) {
      make(svg, "line", { x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value), class: value === 0 ? "zero" : "hair" });
      make(svg, "text", { x: LEFT - 4, y: y(value) + 3, class: "tick end" }, String(+value.toPrecision(6)).replace("-", "−"));
    }
    for (let p = 0; p <= 100; p += 20) make(svg, "text", { x: x(p), y: BOTTOM + 11, class: "tick middle" }, String(p));
    if (panel.up) make(svg, "text", { x: 9, y: TOP, class: "word end", transform: "rotate(-90 9 " + TOP + ")" }, panel.up);
    if (panel.down) make(svg, "text", { x: 9, y: BOTTOM, class: "word", transform: "rotate(-90 9 " + BOTTOM + ")" }, panel.down);
    make(svg, "rect", { x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP, class: "frame" });
    const inner = make(svg, "g", { "clip-path": "url(#" + id + ")" });
    if (panel.band) {
      make(inner, "path", { d: area(numbers(panel.band.low), numbers(panel.band.high), y), class: "norm" });
      if (panel.band.foot_off !== null) make(inner, "line", { x1: x(panel.band.foot_off), x2: x(panel.band.foot_off), y1: TOP, y2: BOTTOM, class: "normoff" });
    }
    for (const stretch of panel.active) {
      make(svg, "rect", { x: x(stretch[0]), width: x(stretch[1]) - x(stretch[0]), y: BOTTOM + 15, height: 6, class: "active" });
    }
    for (const course of panel.courses) {
      const kind = "side-" + (course.side || "none") + (course.visit ? " earlier" : "");
      const n = course.samples, values = numbers(course.curves);
      if (course.raw !== null) { // least and greatest of the raw signal in each stretch, on a scale of its own
        const raw = numbers(course.raw), half = raw.length / 2;
        let largest = panel.raw_limit;
        if (!largest) for (const v of raw) if (Math.abs(v) > largest) largest = Math.abs(v);
        const middle = 0.5 * (TOP + BOTTOM), scale = 0.5 * (BOTTOM - TOP) / (largest || 1);
        if (panel.raw_limit) make(svg, "text", { x: RIGHT, y: 14, class: "tick end" }, "raw ±" + (+panel.raw_limit.toPrecision(3)) + " " + panel.raw_unit);
        make(inner, "path", { d: area(raw.slice(0, half), raw.slice(half), (v) => middle - v * scale), class: "raw" });
      }
      if (panel.style === "mean" && course.cycles >= data.fewest) {
        const s = statistics(values, course.cycles, n);
        make(inner, "path", { d: area(s.mean.map((m, k) => m - s.sd[k]), s.mean.map((m, k) => m + s.sd[k]), y), class: "spread " + kind });
        make(inner, "path", { d: path(s.mean, y), class: "mean " + kind });
      } else {
        for (let c = 0; c < course.cycles; c++) make(inner, "path", { d: path(values.subarray(c * n, (c + 1) * n), y), class: "single " + kind });
      }
      if (course.foot_off !== null) make(inner, "line", { x1: x(course.foot_off), x2: x(course.foot_off), y1: TOP, y2: BOTTOM, class: "off " + kind });
      for (const other of [course.opposite_foot_off, course.opposite_contact]) {
        if (other !== null) make(inner, "line", { x1: x(other), x2: x(other), y1: BOTTOM - 6, y2: BOTTOM, class: "other " + kind });
      }
      if (course.static !== null) make(inner, "line", { x1: RIGHT - 8, x2: RIGHT, y1: y(course.static), y2: y(course.static), class: "mean " + kind });
    }
    const cursor = make(inner, "g", { class: "cursor" });
    panels.push({ tab: tab, cursor: cursor, panel: panel, y: y });
    if (!data.trials.length) return;
    svg.setAttribute("tabindex", "0");
    svg.classList.add("live");
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const scale = Math.min(box.width / W, box.height / H);
      const px = (event.clientX - box.left - 0.5 * (box.width - W * scale)) / scale;
      const py = (event.clientY - box.top - 0.5 * (box.height - H * scale)) / scale;
      const percent = Math.min(100, Math.max(0, 100 * (px - LEFT) / (RIGHT - LEFT)));
      choose(panel, percent, py, y);
    });
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) { show(state.trial, Math.round(state.frame) + step); event.preventDefault(); }
      if (event.key === "Enter") { choose(panel, 0, y(0), y); event.preventDefault(); }
    });
  }

  function choose(panel, percent, py, y) { // the nearest cycle of the open visit at that percent
    let best = null;
    for (const course of panel.courses) {
      if (course.visit) continue;
      course.origins.forEach((origin, c) => {
        if (c >= course.cycles || !data.trials[origin[0]]) return;
        const value = at(numbers(course.curves).subarray(c * course.samples, (c + 1) * course.samples), course.samples, percent / 100);
        const far = Number.isNaN(value) ? Infinity : Math.abs(y(value) - py);
        if (best === null || far < best.far) best = { far: far, origin: origin };
      });
    }
    if (best === null) return;
    const origin = best.origin;
    show(origin[0], origin[2] + percent / 100 * (origin[3] - origin[2]));
  }

  function mark() { // the moment on every curve of the open tab
    const said = new Map();
    for (const one of panels) {
      if (one.tab !== state.tab) continue;
      one.cursor.replaceChildren();
      for (const course of one.panel.courses) {
        if (course.visit) continue;
        course.origins.forEach((origin, c) => {
          if (c >= course.cycles || origin[0] !== state.trial || state.frame < origin[2] || state.frame > origin[3]) return;
          const share = (state.frame - origin[2]) / (origin[3] - origin[2]);
          const values = numbers(course.curves).subarray(c * course.samples, (c + 1) * course.samples);
          const value = at(values, course.samples, share), kind = "side-" + (course.side || "none");
          make(one.cursor, "path", { d: path(values, one.y), class: "chosen " + kind });
          make(one.cursor, "line", { x1: x(100 * share), x2: x(100 * share), y1: TOP, y2: BOTTOM, class: "now " + kind });
          if (!Number.isNaN(value)) make(one.cursor, "circle", { cx: x(100 * share), cy: one.y(value), r: 3.2, class: "dot " + kind });
          said.set(course.label || course.side, Math.round(100 * share));
        });
      }
    }
    return said;
  }

  /* -------------------------------------------------------------------------------------------------------- figure */
  const canvas = document.getElementById("figure");

  function place(trial, frame) { // points at a frame, between frames of the figure
    const all = numbers(trial.points), size = trial.count * 3, f = frame / trial.step;
    const k = Math.min(trial.samples - 1, Math.floor(f)), next = Math.min(trial.samples - 1, k + 1), s = Math.min(1, f - k);
    const out = new Float64Array(size);
    for (let i = 0; i < size; i++) out[i] = all[k * size + i] * (1 - s) + all[next * size + i] * s;
    return out;
  }

  function draw() {
    if (!canvas) return;
    const trial = data.trials[state.trial], points = place(trial, state.frame);
    const box = canvas.getBoundingClientRect(), dots = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(box.width * dots)), height = Math.max(1, Math.round(box.height * dots));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    const middle = [0, 0];
    let seen = 0;
    for (let i = 0; i < points.length; i += 3) {
      if (Number.isNaN(points[i])) continue;
      middle[0] += points[i]; middle[1] += points[i + 2]; seen++;
    }
    if (!seen) { canvas.dataset.seen = "0"; return; }
    canvas.dataset.seen = String(seen);
    const cx = middle[0] / seen, cz = middle[1] / seen, cy = trial.floor + 0.5 * trial.height;
    const scale = 0.8 * Math.min(height, width) / Math.max(trial.height, trial.reach);
    const project = (px, py, pz) => {
      const d = [px - cx, py - cy, pz - cz];
      return [0.5 * width + scale * (rotation[0][0] * d[0] + rotation[0][1] * d[1] + rotation[0][2] * d[2]),
              0.5 * height - scale * (rotation[1][0] * d[0] + rotation[1][1] * d[1] + rotation[1][2] * d[2])];
    };
    const stroke = (one, other) => { pen.beginPath(); pen.moveTo(one[0], one[1]); pen.lineTo(other[0], other[1]); pen.stroke(); };
    pen.lineCap = pen.lineJoin = "round";
    pen.strokeStyle = data.colours.hair;
    pen.lineWidth = dots;
    const x0 = Math.floor((cx - 1) * 2) / 2, z0 = Math.floor((cz - 1) * 2) / 2;
    for (let k = 0; k <= 4; k++) {
      stroke(project(x0 + k / 2, trial.floor, z0), project(x0 + k / 2, trial.floor, z0 + 2));
      stroke(project(x0, trial.floor, z0 + k / 2), project(x0 + 2, trial.floor, z0 + k / 2));
    }
    pen.lineWidth = 2.4 * dots;
    for (const line of trial.lines) {
      pen.strokeStyle = data.colours[line.side || "none"];
      pen.beginPath();
      let begun = false;
      for (const k of line.points) {
        if (Number.isNaN(points[3 * k])) continue;
        const p = project(points[3 * k], points[3 * k + 1], points[3 * k + 2]);
        if (begun) pen.lineTo(p[0], p[1]); else pen.moveTo(p[0], p[1]);
        begun = true;
      }
      pen.stroke();
    }
  }

  function turn(dx, dy) {
    const c = Math.cos(dx), s = Math.sin(dx), d = Math.cos(dy), t = Math.sin(dy);
    rotation = times([[1, 0, 0], [0, d, -t], [0, t, d]], times(rotation, [[c, 0, s], [0, 1, 0], [-s, 0, c]]));
    draw();
  }

  /* -------------------------------------------------------------------------------------------------------- moment */
  const slider = document.getElementById("moment"), chooser = document.getElementById("trial"), said = document.getElementById("said");
  const button = document.getElementById("play"), speed = document.getElementById("speed");

  function show(trial, frame) {
    if (!data.trials.length) return;
    const one = data.trials[trial];
    state.trial = trial;
    state.frame = Math.min(one.frames - 1, Math.max(0, frame));
    chooser.value = String(trial);
    slider.max = String(one.frames - 1);
    slider.value = String(Math.round(state.frame));
    const parts = [(state.frame / one.rate).toFixed(2) + " s"];
    for (const [label, percent] of mark()) parts.push(label + " " + percent + " %");
    said.textContent = parts.join(" · ");
    slider.setAttribute("aria-valuetext", said.textContent);
    draw();
  }

  let last = null;
  function tick(now) {
    if (!state.playing) { last = null; return; }
    const one = data.trials[state.trial];
    const frame = state.frame + (last === null ? 0 : (now - last) / 1000 * one.rate * state.speed);
    last = now;
    show(state.trial, frame >= one.frames - 1 ? 0 : frame);
    window.requestAnimationFrame(tick);
  }

  function play(on) {
    state.playing = on;
    button.textContent = on ? "Pause" : "Play";
    button.setAttribute("aria-pressed", String(on));
    if (on) window.requestAnimationFrame(tick);
  }

  /* ---------------------------------------------------------------------------------------------------------- tabs */
  const tabs = Array.from(document.querySelectorAll("[role=tab]"));
  function open(k, focus) {
    state.tab = k;
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === k));
      tab.tabIndex = i === k ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).classList.toggle("open", i === k);
    });
    if (focus) tabs[k].focus();
    show(state.trial, state.frame);
  }
  tabs.forEach((tab, k) => {
    tab.addEventListener("click", () => open(k, false));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      open((to + tabs.length) % tabs.length, true);
      event.preventDefault();
    });
  });

  /* --------------------------------------------------------------------------------------------------------- begin */
  document.querySelectorAll(".grid").forEach((place) => {
    const grid = data.grids[+place.dataset.grid], tab = +place.dataset.tab;
    place.style.gridTemplateColumns = "repeat(" + grid.columns + ", minmax(0, 30rem))";
    grid.panels.forEach((panel) => {
      const cell = document.createElement("div");
      place.appendChild(cell);
      if (panel !== null) drawPanel(cell, panel, tab);
    });
  });
  if (data.trials.length) {
    data.trials.forEach((trial, k) => {
      const one = document.createElement("option");
      one.value = String(k);
      one.textContent = trial.name;
      chooser.appendChild(one);
    });
    slider.addEventListener("input", () => { play(false); show(state.trial, +slider.value); });
    chooser.addEventListener("change", () => show(+chooser.value, 0));
    button.addEventListener("click", () => play(!state.playing));
    speed.addEventListener("change", () => { state.speed = +speed.value; });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (held === null) return;
      turn((event.clientX - held[0]) * 0.01, (event.clientY - held[1]) * 0.01);
      held = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointercancel", () => { held = null; });
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
      if (by) { turn(by[0], by[1]); event.preventDefault(); }
    });
    window.addEventListener("resize", draw);
  }
  window.addEventListener("beforeprint", () => { panels.forEach((one) => one.cursor.replaceChildren()); });
  window.addEventListener("afterprint", mark);
  open(0, false);
})();
