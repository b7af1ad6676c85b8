import { expect, it } from 'vitest';
import { readJson } from '../../../core/web-proof/extraction/read-json.ts';
import { matchPaths, parseJsonPath } from '../../../core/web-proof/redaction/json-path.ts';
import { queryPath, redactionPath } from '../../../plugins/console/app/pages/proofs/value-paths.ts';

it.each(['email', 'a.b', 'a\\b', 'a[0]', 'items[]', '["a"]', '*', 'a*', '$', ' ', 'süß', "it's"])(
  'a press on the value of %j names it, and nothing else',
  (name) => {
    const path = parseJsonPath(redactionPath(['list', 1, name])) ?? [];
    const element = matchPaths([path], 'wide').member('list').element(1);
    expect([name, 'other', 'a'].map((each) => element.member(each).covered)).toEqual([true, false, false]);
    const query = queryPath(['list', 1, name]);
    const body = Buffer.from(JSON.stringify({ list: [0, { [name]: 'wanted', other: 1 }] }));
    expect(readJson(body, [], undefined, [query]).wanted.get(query)).toEqual({ kind: 'string', text: 'wanted' });
  },
);
