// The theme's frames around its copy buttons get names that tell them apart.
const name = () => document.querySelectorAll("nav.md-code__nav").forEach((one, place) => { one.ariaLabel = `Code ${place + 1}`; });
new MutationObserver(name).observe(document.documentElement, { childList: true, subtree: true });
name();

// The reader's choice of light or dark reaches what is shown in frames.
const tell = () => {
  const theme = document.body.dataset.mdColorScheme === "slate" ? "dark" : "light";
  for (const frame of document.querySelectorAll("iframe")) frame.contentWindow.postMessage({ theme }, "*");
};
addEventListener("load", tell, true); // of a frame, too
new MutationObserver(tell).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
