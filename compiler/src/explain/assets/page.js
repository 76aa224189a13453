// Pictures of layouts: which thread holds which element of a tile. Everything is computed from the
// basis vectors in the data (see the module `layout` of the compiler for what they mean).
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("explanation").textContent);
  const variants = data.kernels.flatMap((kernel) => kernel.variants);
  const $ = (selector, inside = document) => inside.querySelector(selector);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  document.documentElement.classList.add("js");

  const LANES = 32;
  const product = (list) => list.reduce((a, b) => a * b, 1);

  /** Who holds what. Elements are numbered in row-major order. */
  class Layout {
    constructor(json) {
      Object.assign(this, json);
      this.rank = json.shape.length;
      this.perBlock = 2 ** json.registers.length;
      this.count = this.perBlock * product(json.repeat);
      this.warpCount = 2 ** json.warps.length;
      this.elements = product(json.shape);
      this.byRegister = Array.from({ length: this.count }, (_, r) => this.ofRegister(r));
      this.byThread = Array.from({ length: this.warpCount * LANES }, (_, t) => this.ofThread(t));
      this.index();
    }
    combine(bases, number) {
      const at = new Array(this.rank).fill(0);
      bases.forEach((basis, bit) => {
        if ((number >> bit) & 1) basis.forEach((step, axis) => { at[axis] ^= step; });
      });
      return at;
    }
    ofRegister(register) {
      const at = this.combine(this.registers, register % this.perBlock);
      let repetition = Math.floor(register / this.perBlock);
      for (let axis = this.rank - 1; axis >= 0; axis--) {
        at[axis] += (repetition % this.repeat[axis]) * this.block[axis];
        repetition = Math.floor(repetition / this.repeat[axis]);
      }
      return at;
    }
    ofThread(thread) {
      const lane = this.combine(this.lanes, thread % LANES);
      return this.combine(this.warps, Math.floor(thread / LANES)).map((x, axis) => x ^ lane[axis]);
    }
    /** The coordinates of a register of a thread; padding has none. */
    coordinates(thread, register) {
      const own = this.byThread[thread];
      const at = this.byRegister[register].map((x, axis) => x ^ own[axis]);
      return at.every((x, axis) => x < this.shape[axis]) ? at : null;
    }
    number(at) {
      return at.reduce((number, x, axis) => number * this.shape[axis] + x, 0);
    }
    at(number) {
      const at = [];
      for (let axis = this.rank - 1; axis >= 0; axis--) {
        at.unshift(number % this.shape[axis]);
        number = Math.floor(number / this.shape[axis]);
      }
      return at;
    }
    /** The holders of every element, sorted by element: slot = thread * count + register. */
    index() {
      const threads = this.warpCount * LANES;
      this.starts = new Int32Array(this.elements + 1);
      const held = new Int32Array(threads * this.count).fill(-1);
      for (let thread = 0; thread < threads; thread++) {
        for (let register = 0; register < this.count; register++) {
          const at = this.coordinates(thread, register);
          if (!at) continue;
          const number = this.number(at);
          held[thread * this.count + register] = number;
          this.starts[number + 1]++;
        }
      }
      for (let i = 0; i < this.elements; i++) this.starts[i + 1] += this.starts[i];
      const next = this.starts.slice(0, this.elements);
      this.slots = new Int32Array(this.starts[this.elements]);
      held.forEach((number, slot) => { if (number >= 0) this.slots[next[number]++] = slot; });
      this.held = held;
    }
    first(number) { return this.slots[this.starts[number]]; }
    holders(number) {
      return [...this.slots.subarray(this.starts[number], this.starts[number + 1])].map((slot) => this.holder(slot));
    }
    holder(slot) {
      const thread = Math.floor(slot / this.count);
      return { thread, warp: Math.floor(thread / LANES), lane: thread % LANES, register: slot % this.count };
    }
    ofHolder(thread, register) {
      const number = this.held[thread * this.count + register];
      return number === undefined || number < 0 ? null : number;
    }
  }

  const layouts = new Map();
  const layoutOf = (variant, index) => {
    const key = `${variant}/${index}`;
    if (!layouts.has(key)) layouts.set(key, new Layout(variants[variant].layouts[index]));
    return layouts.get(key);
  };

  // ---- Colours ---------------------------------------------------------------------------------

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const hue = (number, of) => (of <= 1 ? 255 : (255 + (360 * number) / of) % 360);
  const colour = (mode, holder, layout) => {
    const low = dark.matches ? 0.36 : 0.66;
    const span = dark.matches ? 0.36 : 0.24;
    switch (mode) {
      case "warp": return `oklch(${low + span * 0.6} 0.12 ${hue(holder.warp, layout.warpCount)})`;
      case "lane": return `oklch(${low + span * (0.35 + 0.5 * (holder.lane % 2))} 0.11 ${hue(holder.lane, LANES)})`;
      case "register": return `oklch(${low + span * 0.6} 0.11 ${(40 + (300 * holder.register) / layout.count) % 360})`;
      default: return `oklch(${low + (span * holder.lane) / (LANES - 1)} 0.105 ${hue(holder.warp, layout.warpCount)})`;
    }
  };

  // ---- The picture -----------------------------------------------------------------------------

  const view = $(".view"), canvas = $("canvas", view), room = $(".room", view);
  const pen = canvas.getContext("2d");
  const ui = {
    head: $(".picture .head"), mode: $("#mode"), zoom: $("#zoom"), fit: $("#fit"), block: $("#block"), planes: $("#planes"),
    element: $("#element"), warp: $("#warp"), lane: $("#lane"), register: $("#register"), answer: $(".answer"), legend: $(".legend"),
  };
  const RULER = 30;
  let state = null;

  const select = (variant, index) => {
    const value = variants[variant]?.values[index];
    if (!value) return;
    const layout = layoutOf(variant, value.layout);
    state = { variant, index, value, layout, pinned: null, hover: null, planes: new Array(Math.max(0, layout.rank - 2)).fill(0) };
    const words = layout.words.length === 1 ? layout.words[0]
      : layout.words.map((text, axis) => `dimension ${axis}: ${text}`).reverse().join("; ");
    ui.head.innerHTML = "";
    const name = document.createElement("b"), more = document.createElement("span");
    name.textContent = value.name;
    more.textContent = ` : ${value.ty}${value.place ? `, line ${value.place.line}` : ""} — ${words}`
      + (layout.copies > 1 ? `; each in ${layout.copies} threads` : "");
    ui.head.append(name, more);
    ui.planes.innerHTML = "";
    state.planes.forEach((_, axis) => {
      const input = document.createElement("input");
      Object.assign(input, { type: "number", min: 0, max: layout.shape[axis] - 1, value: 0, title: `index along dimension ${axis}` });
      input.addEventListener("input", () => {
        state.planes[axis] = Math.min(Math.max(0, +input.value || 0), layout.shape[axis] - 1);
        draw();
      });
      ui.planes.append(`dimension ${axis} `, input);
    });
    const repeats = layout.repeat.some((times) => times > 1);
    ui.block.parentElement.hidden = !repeats;
    for (const [input, limit] of [[ui.warp, layout.warpCount], [ui.lane, LANES], [ui.register, layout.count]]) input.max = limit - 1;
    all(".tiles tbody tr").forEach((row) => row.setAttribute("aria-selected", row.dataset.v == variant && row.dataset.value == index));
    all(".chips button").forEach((chip) => chip.setAttribute("aria-pressed", chip.parentElement.dataset.v == variant && chip.dataset.value == index));
    fit();
    tell(null);
  };

  /** Rows and columns of what is shown; a row of a tile is cut into lines of 64 elements. */
  const grid = () => {
    const { layout } = state;
    const cut = ui.block.checked && !ui.block.parentElement.hidden;
    const size = (axis) => (cut ? Math.min(layout.block[axis], layout.shape[axis]) : layout.shape[axis]);
    if (layout.rank === 1) {
      const columns = Math.min(size(0), 64);
      return { columns, rows: Math.ceil(size(0) / columns), length: size(0) };
    }
    return { rows: size(layout.rank - 2), columns: size(layout.rank - 1) };
  };
  const numberAt = (row, column) => {
    const { layout, planes } = state, { rows, columns, length } = grid();
    if (row < 0 || column < 0 || row >= rows || column >= columns) return null;
    if (layout.rank === 1) {
      const number = row * columns + column;
      return number < length ? number : null;
    }
    return layout.number([...planes, row, column]);
  };
  const cellOf = (number) => {
    const { layout, planes } = state, at = layout.at(number), { columns } = grid();
    if (layout.rank === 1) return [Math.floor(number / columns), number % columns];
    if (planes.some((plane, axis) => plane !== at[axis])) return null;
    return at.slice(-2);
  };

  const fit = () => {
    const { rows, columns } = grid();
    const wide = Math.floor((view.clientWidth - RULER - 18) / columns);
    ui.zoom.value = Math.max(3, Math.min(34, wide));
    // No taller than what is in it, and a scroll bar.
    view.style.height = `${Math.max(90, Math.min(460, rows * +ui.zoom.value + RULER + 20))}px`;
    draw();
  };

  let asked = false;
  const draw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; if (state) paint(); });
  };

  const paint = () => {
    const { layout } = state, { rows, columns } = grid(), cell = +ui.zoom.value;
    const width = view.clientWidth, height = view.clientHeight, scale = devicePixelRatio || 1;
    room.style.width = `${columns * cell + RULER + 1}px`;
    room.style.height = `${rows * cell + RULER + 1}px`;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
    }
    const style = getComputedStyle(document.body);
    const ink = style.color, paper = getComputedStyle(view).backgroundColor;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = paper;
    pen.fillRect(0, 0, width, height);
    const left = view.scrollLeft, top = view.scrollTop;
    const x = (column) => RULER + column * cell - left, y = (row) => RULER + row * cell - top;
    const from = Math.floor(left / cell), to = Math.min(columns, Math.ceil((left + width) / cell));
    const first = Math.floor(top / cell), last = Math.min(rows, Math.ceil((top + height) / cell));
    const mode = ui.mode.value, palette = new Map();
    const key = (h) => (mode === "warp" ? h.warp : mode === "lane" ? h.lane : mode === "register" ? h.register : h.thread);
    const gap = cell >= 8 ? 1 : 0;
    pen.save();
    pen.beginPath(); pen.rect(RULER, RULER, width, height); pen.clip();
    pen.textAlign = "center"; pen.textBaseline = "middle";
    for (let row = first; row < last; row++) {
      for (let column = from; column < to; column++) {
        const number = numberAt(row, column);
        if (number === null) continue;
        const holder = layout.holder(layout.first(number)), id = key(holder);
        if (!palette.has(id)) palette.set(id, colour(mode, holder, layout));
        pen.fillStyle = palette.get(id);
        // Elements of one thread side by side have no gap between them: a vector looks like one.
        const neighbour = gap && column + 1 < columns ? numberAt(row, column + 1) : null;
        const joined = neighbour !== null && Math.floor(layout.first(neighbour) / layout.count) === holder.thread;
        pen.fillRect(x(column), y(row), cell - (joined ? 0 : gap), cell - gap);
        if (cell >= 17) {
          pen.fillStyle = ink;
          const small = cell >= 30;
          pen.font = `${small ? 10.5 : 9}px ${style.getPropertyValue("--mono")}`;
          const lane = mode === "register" ? `r${holder.register}` : mode === "warp" ? `w${holder.warp}` : holder.lane;
          pen.fillText(lane, x(column) + cell / 2, y(row) + cell / 2 - (small ? 5 : 0));
          if (small) {
            pen.globalAlpha = 0.65;
            pen.font = `8.5px ${style.getPropertyValue("--mono")}`;
            pen.fillText(mode === "register" ? `t${holder.thread}` : `r${holder.register}`, x(column) + cell / 2, y(row) + cell / 2 + 7);
            pen.globalAlpha = 1;
          }
        }
      }
    }
    // Where the block is repeated.
    if (layout.rank >= 2) {
      pen.strokeStyle = ink; pen.globalAlpha = 0.55; pen.setLineDash([3, 3]); pen.lineWidth = 1;
      pen.beginPath();
      const [height_, width_] = layout.block.slice(-2);
      for (let row = height_; row < rows; row += height_) { pen.moveTo(x(0), y(row) - 0.5); pen.lineTo(x(columns), y(row) - 0.5); }
      for (let column = width_; column < columns; column += width_) { pen.moveTo(x(column) - 0.5, y(0)); pen.lineTo(x(column) - 0.5, y(rows)); }
      pen.stroke(); pen.setLineDash([]); pen.globalAlpha = 1;
    }
    outline(x, y, cell, ink);
    pen.restore();
    rulers(x, y, cell, { rows, columns, width, height, from, to, first, last });
  };

  /** The elements that are spoken of: all of a thread, and the one. */
  const outline = (x, y, cell, ink) => {
    const shown = state.pinned ?? state.hover;
    if (!shown) return;
    const { layout } = state;
    pen.strokeStyle = ink;
    pen.lineWidth = cell >= 8 ? 2 : 1;
    for (let register = 0; register < layout.count; register++) {
      const number = layout.ofHolder(shown.thread, register);
      const place = number === null ? null : cellOf(number);
      if (place) pen.strokeRect(x(place[1]) + 0.5, y(place[0]) + 0.5, cell - 2, cell - 2);
    }
    const place = shown.number === null ? null : cellOf(shown.number);
    if (place) {
      pen.lineWidth = 3;
      pen.strokeStyle = getComputedStyle(document.body).getPropertyValue("--accent-mark") || "#e0245e";
      pen.strokeRect(x(place[1]) - 1, y(place[0]) - 1, cell + 1, cell + 1);
    }
  };

  const rulers = (x, y, cell, { rows, columns, width, height, from, to, first, last }) => {
    const style = getComputedStyle($("figcaption") ?? document.body);
    pen.fillStyle = getComputedStyle($(".tiles")).backgroundColor;
    pen.fillRect(0, 0, width, RULER - 1);
    pen.fillRect(0, 0, RULER - 1, height);
    pen.fillStyle = style.color;
    pen.font = `10px ${getComputedStyle(document.body).getPropertyValue("--mono")}`;
    const step = (least) => { let s = 1; while (s * cell < least) s *= 2; return s; };
    pen.textAlign = "center"; pen.textBaseline = "middle";
    for (let column = from - (from % step(26)); column < to; column += step(26)) {
      if (x(column) >= RULER - cell / 2) pen.fillText(column, x(column) + cell / 2, RULER / 2);
    }
    pen.textAlign = "right";
    pen.fillStyle = getComputedStyle($(".tiles")).backgroundColor;
    pen.fillRect(0, 0, RULER - 1, RULER - 8);
    pen.fillStyle = style.color;
    const times = state.layout.rank === 1 ? columns : 1;
    for (let row = first - (first % step(14)); row < last; row += step(14)) {
      if (y(row) >= RULER - cell / 2) pen.fillText(row * times, RULER - 5, y(row) + cell / 2);
    }
  };

  // ---- From element to thread and back ---------------------------------------------------------

  const tell = (shown) => {
    const { layout } = state;
    ui.answer.innerHTML = "";
    const line = (...pieces) => {
      pieces.forEach((piece) => {
        if (typeof piece === "string") { ui.answer.append(piece); return; }
        const strong = document.createElement("b");
        strong.textContent = piece[0];
        ui.answer.append(strong);
      });
      ui.answer.append("\n");
    };
    const threads = layout.warpCount * LANES;
    if (!shown) {
      line(`${threads} threads in ${layout.warpCount} warps hold ${layout.elements} elements in ${layout.count} registers each`);
      line("point at an element, or type one");
      return;
    }
    const name = (h) => `warp ${h.warp}, lane ${h.lane} (thread ${h.thread}), register ${h.register}`;
    if (shown.number !== null) {
      const holders = layout.holders(shown.number);
      line("element ", [`[${layout.at(shown.number).join(", ")}]`], " is in ", [name(holders.find((h) => h.thread === shown.thread) ?? holders[0])]);
      if (holders.length > 1) {
        const others = holders.filter((h) => h.thread !== shown.thread || h.register !== shown.register);
        const some = others.slice(0, 4).map((h) => `w${h.warp} l${h.lane} r${h.register}`).join(", ");
        line(`and, as a copy, in ${some}${others.length > 4 ? ` and ${others.length - 4} more` : ""}`);
      }
    }
    const own = [];
    for (let register = 0; register < layout.count && own.length < 9; register++) {
      const number = layout.ofHolder(shown.thread, register);
      own.push(`r${register} ${number === null ? "padding" : `[${layout.at(number).join(", ")}]`}`);
    }
    line(`thread ${shown.thread} holds ${own.slice(0, 8).join("  ")}${layout.count > 8 ? "  …" : ""}`);
  };

  const show = (shown, source) => {
    if (shown && shown.number !== null && source !== ui.element) ui.element.value = state.layout.at(shown.number).join(", ");
    if (shown && source !== "holder") {
      ui.warp.value = Math.floor(shown.thread / LANES); ui.lane.value = shown.thread % LANES; ui.register.value = shown.register;
    }
    tell(shown);
    draw();
  };
  const ofNumber = (number) => ({ number, ...state.layout.holder(state.layout.first(number)) });

  const under = (event) => {
    const box = view.getBoundingClientRect(), cell = +ui.zoom.value;
    const column = Math.floor((event.clientX - box.left - RULER + view.scrollLeft) / cell);
    const row = Math.floor((event.clientY - box.top - RULER + view.scrollTop) / cell);
    if (event.clientX - box.left < RULER || event.clientY - box.top < RULER) return null;
    return numberAt(row, column);
  };
  view.addEventListener("pointermove", (event) => {
    if (!state || state.pinned) return;
    const number = under(event);
    state.hover = number === null ? null : ofNumber(number);
    show(state.hover, null);
  });
  view.addEventListener("pointerleave", () => { if (state && !state.pinned) { state.hover = null; show(null, null); } });
  view.addEventListener("click", (event) => {
    const number = under(event);
    const same = state.pinned && state.pinned.number === number;
    state.pinned = number === null || same ? null : ofNumber(number);
    show(state.pinned, null);
  });
  view.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === "Escape") { state.pinned = null; show(null, null); }
    if (!move) return;
    event.preventDefault();
    const [row, column] = (state.pinned && state.pinned.number !== null && cellOf(state.pinned.number)) || [0, -1];
    const number = numberAt(row + move[0], column + move[1]);
    if (number !== null) { state.pinned = ofNumber(number); reveal(number); show(state.pinned, null); }
  });
  const reveal = (number) => {
    const place = cellOf(number), cell = +ui.zoom.value;
    if (!place) return;
    const into = (start, size, at) => (at < start ? at : at + cell > start + size ? at + cell - size : start);
    view.scrollTop = into(view.scrollTop, view.clientHeight - RULER, place[0] * cell);
    view.scrollLeft = into(view.scrollLeft, view.clientWidth - RULER, place[1] * cell);
  };

  ui.element.addEventListener("input", () => {
    const { layout } = state;
    const words = ui.element.value.replace(/[[\]()]/g, "").split(/[\s,]+/).filter(Boolean);
    const at = words.map(Number);
    const good = at.length === layout.rank && at.every((x, axis) => Number.isInteger(x) && x >= 0 && x < layout.shape[axis]);
    ui.element.classList.toggle("wrong", !good && words.length > 0);
    if (!good) return;
    at.slice(0, -2).forEach((x, axis) => { state.planes[axis] = x; $$planes(axis, x); });
    state.pinned = ofNumber(layout.number(at));
    reveal(state.pinned.number);
    show(state.pinned, ui.element);
  });
  const $$planes = (axis, x) => { const input = all("input", ui.planes)[axis]; if (input) input.value = x; };
  const ofInputs = () => {
    const { layout } = state;
    const [warp, lane, register] = [ui.warp, ui.lane, ui.register].map((input) => (input.value === "" ? NaN : +input.value));
    const inside = (x, limit) => Number.isInteger(x) && x >= 0 && x < limit;
    ui.warp.classList.toggle("wrong", !inside(warp, layout.warpCount));
    ui.lane.classList.toggle("wrong", !inside(lane, LANES));
    ui.register.classList.toggle("wrong", !inside(register, layout.count));
    if (!inside(warp, layout.warpCount) || !inside(lane, LANES) || !inside(register, layout.count)) return;
    const thread = warp * LANES + lane, number = layout.ofHolder(thread, register);
    state.pinned = { thread, warp, lane, register, number };
    if (number === null) ui.element.value = "padding"; else reveal(number);
    show(state.pinned, "holder");
  };
  for (const input of [ui.warp, ui.lane, ui.register]) input.addEventListener("input", ofInputs);

  ui.zoom.addEventListener("input", draw);
  ui.mode.addEventListener("change", () => { legend(); draw(); });
  ui.block.addEventListener("change", fit);
  ui.fit.addEventListener("click", fit);
  view.addEventListener("scroll", draw, { passive: true });
  dark.addEventListener("change", () => { legend(); draw(); });
  new ResizeObserver(draw).observe(view);

  const legend = () => {
    ui.legend.innerHTML = "";
    if (!state) return;
    const { layout } = state, mode = ui.mode.value;
    const entries = [];
    if (mode === "lane") for (let lane = 0; lane < LANES; lane++) entries.push([`${lane}`, { lane }]);
    else if (mode === "register") for (let register = 0; register < Math.min(layout.count, 24); register++) entries.push([`r${register}`, { register }]);
    else for (let warp = 0; warp < layout.warpCount; warp++) entries.push([`warp ${warp}`, { warp, lane: 16 }]);
    for (const [text, holder] of entries) {
      const item = document.createElement("span"), chip = document.createElement("i");
      chip.style.background = colour(mode, { warp: 0, lane: 16, register: 0, ...holder }, layout);
      item.append(chip, text);
      ui.legend.append(item);
    }
    if (mode === "thread") ui.legend.append("from dark to light: lanes 0 to 31");
  };

  // ---- Choosing --------------------------------------------------------------------------------

  const choose = (variant, index) => { select(variant, index); legend(); };
  all(".tiles tbody tr").forEach((row) => row.addEventListener("click", () => choose(+row.dataset.v, +row.dataset.value)));
  all(".chips button").forEach((chip) => chip.addEventListener("click", () => choose(+chip.parentElement.dataset.v, +chip.dataset.value)));
  const largest = (variant) => {
    const values = variants[variant].values;
    const size = (value) => product(variants[variant].layouts[value.layout].shape);
    let best = 0;
    values.forEach((value, index) => {
      const own = variants[variant].layouts[value.layout], so_far = variants[variant].layouts[values[best].layout];
      if (own.shape.length > so_far.shape.length || (own.shape.length === so_far.shape.length && size(value) > size(values[best]))) best = index;
    });
    return best;
  };
  const variantChosen = () => +($("nav.variants input:checked")?.value ?? 0);
  const changed = () => {
    const variant = variantChosen();
    $(".picture").hidden = variants[variant].values.length === 0;
    if (variants[variant].values.length > 0) choose(variant, largest(variant));
  };
  all("nav.variants input").forEach((input) => input.addEventListener("change", changed));
  changed();
  // For tests of the page in a browser.
  window.explanation = { data, layoutOf, state: () => state };
})();
