// Pictures of examples play in their place: the first click loads the program, once for all of them.

for (const place of document.querySelectorAll(".plays")) {
  place.querySelector("button").addEventListener("click", () => {
    // A program that plays takes the machine: there is one at a time.
    for (const other of document.querySelectorAll(".plays.now")) {
      other.querySelector("iframe").remove();
      other.classList.remove("now");
    }
    const frame = document.createElement("iframe");
    frame.src = place.dataset.page;
    frame.title = place.querySelector("img").alt;
    place.append(frame);
    place.classList.add("now");
  });
}
