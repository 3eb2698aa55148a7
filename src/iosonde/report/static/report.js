"use strict";
// Draws interactive charts, visible ones first, with tooltips, a choice of error bars, and images to save. Without this
// script, the page shows static images of the same charts.
(() => {
  const places = [...document.querySelectorAll("[data-specification]")];
  const drawn = new Map();
  let spread = "interval";

  function specificationOf(place) {
    return JSON.parse(document.getElementById(place.dataset.specification).textContent);
  }

  function draw(place) {
    if (!drawn.has(place)) {
      // Expressions are interpreted (ast), so the Content-Security-Policy of the page need not allow eval.
      const wanted = {
        renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true },
      };
      const still = place.querySelector(".still");
      const live = document.createElement("div");
      live.className = "live";
      place.append(live);
      drawn.set(place, vegaEmbed(live, specificationOf(place), wanted).then(
        async (result) => {
          await show(result.view);
          still?.remove();
          return result.view;
        },
        (problem) => {
          live.remove();
          if (still) {
            return null;
          }
          place.textContent = "This chart could not be drawn (" + problem.message + "). The measurements are not affected, and " +
            "the tables contain the values of the chart. To report the problem, send this message and this page.";
          place.classList.add("broken");
          return null;
        },
      ));
    }
    return drawn.get(place);
  }

  function show(view) {
    if (view && "spread" in view.getState({ signals: (name) => name === "spread", data: () => false }).signals) {
      return view.signal("spread", spread).runAsync();
    }
    return view;
  }

  const inSight = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        inSight.unobserve(entry.target);
        draw(entry.target);
      }
    }
  }, { rootMargin: "600px" });
  places.forEach((place) => inSight.observe(place));

  // Draws the other charts when the browser is idle.
  const whenIdle = window.requestIdleCallback || ((next) => setTimeout(next, 50));
  const waiting = [...places];
  const drawNext = () => {
    const place = waiting.shift();
    if (place) {
      draw(place).then(() => whenIdle(drawNext));
    } else {
      document.documentElement.dataset.drawn = "all";
    }
  };
  window.addEventListener("load", () => whenIdle(drawNext));

  for (const choice of document.querySelectorAll("input[name=spread]")) {
    choice.addEventListener("change", () => {
      spread = choice.value;
      drawn.forEach((ready) => ready.then(show));
    });
  }

  function download(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  function rowsOf(specification) {
    return specification.datasets[specification.data.name];
  }

  function csvOf(rows) {
    // Columns used only for drawing are not exported.
    const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => !name.startsWith("drawn_"));
    const quoted = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    return [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
  }

  function linesOf(text) {
    return text.match(/.{1,120}(\s|$)/g).map((line) => line.trim());
  }

  // A saved image has a title and captions, because it is read without the page.
  async function drawnForItself(place) {
    const page = document.body.dataset;
    const switched = spread === "deviation" ? ["Error bars show the standard deviation of the repeats."] : [];
    const specification = {
      ...specificationOf(place),
      width: 900,
      background: "#ffffff",
      title: {
        text: page.words + place.dataset.title, color: page.words ? "#b3261e" : "#1f2933", subtitleColor: "#52606d",
        subtitle: [
          page.subject, ...(page.brands ? [page.brands] : []), ...linesOf(place.dataset.caption), ...switched,
        ],
        anchor: "start", fontSize: 16, subtitleFontSize: 12.5, offset: 12,
      },
    };
    const wanted = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: false };
    const { view } = await vegaEmbed(document.createElement("div"), specification, wanted);
    return show(view);
  }

  const savers = {
    csv: (place) => new Blob([csvOf(rowsOf(specificationOf(place)))], { type: "text/csv" }),
    svg: async (place) => new Blob([await (await drawnForItself(place)).toSVG()], { type: "image/svg+xml" }),
    png: async (place) => {
      const chart = await (await drawnForItself(place)).toCanvas(2);
      return new Promise((resolve) => chart.toBlob(resolve, "image/png"));
    },
  };
  for (const button of document.querySelectorAll("button[data-save]")) {
    button.addEventListener("click", async () => {
      const place = document.getElementById(button.dataset.of).querySelector("[data-specification]");
      const kind = button.dataset.save;
      download(`${button.dataset.of.replace("figure-", "")}.${kind}`, await savers[kind](place));
    });
  }
})();
