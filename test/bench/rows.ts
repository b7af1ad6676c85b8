/** Makes sure that what is measured has rows to read: the time of an empty page says nothing. */

interface Listed {
  readonly data?: unknown;
  readonly pagination?: { readonly total?: unknown };
}

/** How many rows a list has in all. @throws Error if the page is empty, or if the list has fewer rows than `atLeast` */
export function requireListed(what: string, { data, pagination }: Listed, atLeast = 1): number {
  if (!Array.isArray(data) || data.length === 0) throw new Error(`${what}: the page is empty.`);
  const total = pagination === undefined ? data.length : Number(pagination.total);
  if (!(total >= atLeast)) throw new Error(`${what}: the total is ${total}, but at least ${atLeast} rows are stored.`);
  return total;
}

/** Reads a URL once. @throws Error if the answer is a failure, an empty list or a list whose total is 0 */
export async function requireRows(url: string, token: string): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`GET ${url} answered ${answer.status}.`);
  const body = (await answer.json()) as Listed;
  if (body.pagination !== undefined || Array.isArray(body.data)) requireListed(`GET ${url}`, body);
  else if (!body.data) throw new Error(`GET ${url} answered without data.`);
}
