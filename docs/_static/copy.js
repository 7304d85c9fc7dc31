// A button that copies a block: of a session only the commands, without their prompts.
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("article div.highlight")) {
    const pre = block.querySelector("pre");
    if (!pre || !navigator.clipboard) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const lines = pre.textContent.trimEnd().split("\n");
      const typed = lines.filter((line) => line.startsWith("$ "));
      await navigator.clipboard.writeText(typed.length ? typed.map((line) => line.slice(2)).join("\n") : lines.join("\n"));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
