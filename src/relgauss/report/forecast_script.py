"""The script of a forecast's page: it follows two sliders over curves that were computed before.

It is the only script that any page has. It asks nobody for anything, and a page without it still shows the
forecast that was asked for.
"""

STYLE = """
.sliders { display: grid; grid-template-columns: auto 1fr 4.5rem; gap: .6rem .9rem; align-items: center; }
.sliders input { width: 100%; accent-color: var(--accent); } .sliders output { font-weight: 600; }
#expected td + td { white-space: nowrap; }
@media (max-width: 30rem) { #expected th, #expected td { padding-left: .25rem; padding-right: .25rem; } }
.no td { color: var(--soft); } button { font: inherit; padding: .25rem .9rem; border-radius: .4rem;
  border: 1px solid var(--line); background: var(--tint); color: var(--ink); cursor: pointer; }
select { font: inherit; color: var(--ink); background: var(--tint); border: 1px solid var(--line);
  border-radius: .4rem; max-width: 100%; }
@media print { .sliders, button { display: none; } }
"""

SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
function percent(share) {
  const x = 100 * share;
  if (!(x < 1e6)) return "-";
  if (x > 0 && x < 0.01) return "below 0.01 %";
  return (x >= 9.95 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(2)))) + " %";
}

let line = data.lines[0];

function between(curve, signal, isLog) {
  const known = line.signals.map((s, i) => [Math.log(s), curve[i]]).filter((p) => p[1] !== null);
  const x = Math.log(signal);
  if (!known.length || x < known[0][0] - 1e-9) return Infinity;
  if (x <= known[0][0]) return known[0][1];
  for (let i = 1; i < known.length; i++) {
    const [x0, y0] = known[i - 1], [x1, y1] = known[i];
    if (x <= x1) {
      const t = (x - x0) / (x1 - x0);
      if (!isLog) return y0 + t * (y1 - y0);
      const y = Math.exp(Math.log(Math.max(y0, 1e-12)) * (1 - t) + Math.log(Math.max(y1, 1e-12)) * t);
      return y > 1.001e-12 ? y : 0;
    }
  }
  return known[known.length - 1][1];
}

function expected(n, mu) {
  const signal = n * mu * line.part;
  const share = signal >= data.least ? between(line.usable, signal, false) : 0;
  const usable = isFinite(share) ? share : 0;
  const noise = between(line.noise, signal, true);
  const width = line.factor * Math.hypot(noise, line.scatter / Math.sqrt(n));
  const known = line.known && isFinite(noise) ? between(line.known, signal, false) : 1;
  const isModel = usable >= data.likely;
  const at = signal < data.least ? line.signals[0] : signal;
  return {usable, isUsable: isModel, error: between(line.error, at, true),
    isWhole: known < 0.5, width: isModel || !data.least ? width : Infinity};
}

function smallest(mu) {
  let low = 1, high = 1e12;
  if (!expected(high, mu).isUsable) return null;
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (expected(Math.ceil(middle), mu).isUsable) high = middle; else low = middle;
  }
  return Math.ceil(high);
}

function draw(at, row) {
  const errors = data.epsilons.map((_, i) => expected(data.middle, row[i]).error);
  const shown = errors.filter((e) => isFinite(e) && e < 10);
  if (!shown.length) { find("picture").innerHTML = ""; return; }
  const low = Math.log(Math.max(Math.min(...shown), 1e-4)), high = Math.log(Math.max(...shown)) + 1e-9;
  const first = data.epsilons[0], last = data.epsilons[data.epsilons.length - 1];
  const across = (epsilon) => 60 + 404 * Math.log(epsilon / first) / Math.log(last / first);
  const down = (e) => 12 + 180 * (high - Math.log(Math.max(e, 1e-4))) / (high - low);
  const point = (e, i) => across(data.epsilons[i]).toFixed(1) + "," + down(e).toFixed(1);
  const line = errors.map((e, i) => isFinite(e) && e < 10 ? point(e, i) : "");
  const label = (x, y, words, side) => `<text x="${x}" y="${y}" text-anchor="${side}">${words}</text>`;
  const tens = [-4, -3, -2, -1, 0].flatMap((p) => [1, 2, 5].map((m) => m * 10 ** p));
  let marks = tens.filter((e) => Math.log(e) >= low - 0.05 && Math.log(e) <= high + 0.05);
  if (marks.length > 6) marks = marks.filter((e) => Math.abs(Math.log10(e) % 1) < 1e-9);
  let inside = marks.map((e) => `<line x1="60" x2="464" y1="${down(e)}" y2="${down(e)}" ` +
    `stroke="var(--line)"/>` + label(52, down(e) + 4, percent(e), "end")).join("");
  for (const epsilon of [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].filter((e) => e >= first && e <= last)) {
    inside += label(across(epsilon), 212, epsilon, "middle");
  }
  inside += label(262, 230, "epsilon", "middle");
  inside += `<polyline points="${line.join(" ")}" fill="none" ` +
    `stroke="var(--accent)" stroke-width="2.5"/>`;
  if (isFinite(errors[at]) && errors[at] < 10) {
    const x = across(data.epsilons[at]), y = down(errors[at]);
    inside += `<circle cx="${x}" cy="${y}" r="5" fill="var(--accent)"/>`;
  }
  find("picture").innerHTML = inside;
}

function follow() {
  const at = Number(find("epsilon").value), row = data.mus[Number(find("delta").value)];
  const epsilon = data.epsilons[at], delta = data.deltas[Number(find("delta").value)], mu = row[at];
  find("epsilon-now").textContent = epsilon;
  find("delta-now").textContent = delta.toExponential();
  const rows = document.querySelectorAll("#expected tbody tr");
  data.sizes.slice(0, rows.length).forEach((n, i) => {
    const found = expected(n, mu), cells = rows[i].querySelectorAll("td");
    cells[2].textContent = percent(found.error);
    cells[3].textContent = found.isWhole ? "whole range" : isFinite(found.width) ? percent(found.width) : "-";
    cells[4].textContent = data.least ? percent(found.usable) : found.isUsable ? "yes" : "no";
    rows[i].className = found.isUsable ? "" : "no";
  });
  const usable = data.sizes.filter((n) => expected(n, mu).isUsable).length, least = smallest(mu);
  const whole = (n) => n.toLocaleString("en");
  const from = least === null ? "none was seen to be usable" : "usable from " + whole(least) + " rows on";
  const groups = whole(usable) + " of " + whole(data.sizes.length) + " groups are usable";
  const fit = expected(data.middle, mu).isUsable ? "A model is likely" : "Degraded: a constant is likely";
  find("summary").textContent = (data.least ? fit : groups) + "; " + from + ".";
  find("command").textContent = data.command + " --epsilon " + epsilon + " --delta " + delta.toExponential();
  draw(at, row);
}

if (find("statistic")) find("statistic").addEventListener("change", (event) => {
  line = data.lines[Number(event.target.value)];
  follow();
});
for (const id of ["epsilon", "delta"]) find(id).addEventListener("input", follow);
find("copy").addEventListener("click", () => {
  const copied = () => { find("copy").textContent = "Copied"; };
  navigator.clipboard.writeText(find("command").textContent).then(copied);
});
follow();
"""
