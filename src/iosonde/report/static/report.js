"use strict";
for (const place of document.querySelectorAll("[data-specification]")) {
  const specification = JSON.parse(document.getElementById(place.dataset.specification).textContent);
  vegaEmbed(place, specification, { renderer: "svg", actions: false }).catch((problem) => {
    place.textContent = "This chart could not be drawn: " + problem.message;
    place.classList.add("broken");
  });
}
