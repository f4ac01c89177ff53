// What was checked, and what failed.
export const report = { checks: 0, failures: 0 };

export function check(claim, isTrue, found) {
  report.checks += 1;
  if (isTrue) return;
  report.failures += 1;
  console.log(`FAILED: ${claim}${found === undefined ? "" : `: ${JSON.stringify(found)}`}`);
}

// Where in the steps the page is.
export const counter = "document.getElementById('counter').textContent";
