// Opens pages of `tilec explain --format html` in a browser and uses them as a reader would: chooses
// variants and tiles, types elements and threads, goes there and back. Asked for, not part of the tests:
//
//   npm install --no-save playwright-core
//   for f in lang-examples/*.tile; do tilec explain $f --format html -o /tmp/page-$(basename $f .tile).html; done
//   CHROMIUM=/usr/bin/chromium node tests/page.mjs /tmp/page-*.html
//
// SCREENSHOTS=DIR saves each page in light and dark.
import { chromium } from "playwright-core";
import { basename, resolve } from "node:path";

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let failed = 0;

for (const file of process.argv.slice(2)) {
  const problems = [];
  const expect = (condition, what) => { if (!condition) problems.push(what); };
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: 1500, height: 1100 }, colorScheme });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
    page.on("request", (request) => { if (!request.url().startsWith("file:")) problems.push(`loads ${request.url()}`); });
    await page.goto(`file://${resolve(file)}`);
    const count = await page.locator("nav.variants input").count();
    for (let variant = 0; variant < count; variant++) {
      await page.click(`label[for=v-${variant}]`);
      const facts = page.locator(".facts:visible");
      expect((await facts.count()) === 1, `variant ${variant}: ${await facts.count()} headings are shown`);
      const rows = page.locator(".tiles tbody tr:visible");
      const tried = colorScheme === "light" ? Math.min(await rows.count(), 6) : 0;
      for (let row = 0; row < tried; row++) {
        await rows.nth(row).click();
        // Every element has a holder, and typing the holder gives the element back.
        const wrong = await page.evaluate(() => {
          const { layout } = window.explanation.state(), set = (id, value) => {
            const input = document.getElementById(id);
            input.value = value;
            input.dispatchEvent(new Event("input"));
          };
          const wrong = [];
          for (let step = 0; step < 40; step++) {
            const number = Math.floor((step / 40) * layout.elements), at = layout.at(number);
            const holders = layout.holders(number);
            if (holders.length !== layout.copies) wrong.push(`[${at}] is held ${holders.length} times, not ${layout.copies}`);
            set("element", at.join(", "));
            const typed = ["warp", "lane", "register"].map((id) => +document.getElementById(id).value);
            set("register", typed[2]);
            if (document.getElementById("element").value !== at.join(", ")) wrong.push(`[${at}] is not what its holder ${typed} has`);
          }
          return wrong;
        });
        problems.push(...wrong);
      }
    }
    const view = await page.locator(".view").boundingBox();
    if (view) {
      await page.keyboard.press("Escape");
      await page.mouse.move(view.x + 60, view.y + 60);
      const start = Date.now();
      for (const zoom of [3, 12, 44]) {
        await page.evaluate((zoom) => { const input = document.getElementById("zoom"); input.value = zoom; input.dispatchEvent(new Event("input")); }, zoom);
        await page.waitForTimeout(20);
      }
      expect(Date.now() - start < 2000, `zooming took ${Date.now() - start} ms`);
      await page.click("#fit");
      expect((await page.locator(".answer").innerText()).length > 10, "nothing is said of the element pointed at");
    }
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${basename(file, ".html")}-${colorScheme}.png` });
    await page.close();
  }
  // Without scripts the notes are there all the same.
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(`file://${resolve(file)}`);
  expect((await page.locator(".facts:visible").count()) === 1, "without scripts: not one heading");
  expect((await page.locator(".row:visible").count()) > 3, "without scripts: no source");
  await plain.close();
  failed += problems.length > 0;
  console.log(problems.length ? `FAIL ${file}\n  ${[...new Set(problems)].slice(0, 12).join("\n  ")}` : `ok ${file}`);
}
await browser.close();
process.exit(failed ? 1 : 0);
