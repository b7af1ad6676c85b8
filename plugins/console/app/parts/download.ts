/** Hands a value to the browser as a file. */
export const downloadJson = (name: string, value: unknown) =>
  download(name, JSON.stringify(value, null, 2), 'application/json');

/** Hands a text to the browser as a file. */
export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
