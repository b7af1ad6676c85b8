/** Tables as files of comma-separated values. */

type Value = string | number | boolean | null | undefined;

/** Text of RFC 4180. A cell that a spreadsheet would run as a formula is text there. */
export function toCsv(columns: readonly string[], rows: readonly (readonly Value[])[]): string {
  const lines = [columns, ...rows].map((cells) => cells.map(cellOf).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

function cellOf(value: Value): string {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Hands a text to the browser as a file. */
export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
