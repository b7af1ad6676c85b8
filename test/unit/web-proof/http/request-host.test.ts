import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../../../core/web-proof/http/parse-request.ts';
import { requestAddress } from '../../../../core/web-proof/http/request-host.ts';
import { marked } from '../../../support/hidden-parts.ts';

/** The address of a request; what stands between « and » is hidden. */
function address(text: string) {
  const sent = marked(text);
  return requestAddress(parseRequest(sent), sent, 'server.test');
}

const request = (line: string, ...headers: string[]) =>
  `${line} HTTP/1.1\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;
const a = { host: 'a.test', port: null };

describe('where a request goes', () => {
  it.each([
    ['x-checksum: 1', true],
    ['Host: b.test', false],
    ['«x-checksum: 1»', false],
  ])('is uncertain with another Host in a trailer: %s', (trailer, hostShown) => {
    const head = request('GET /', 'Host: a.test', 'Transfer-Encoding: chunked');
    expect(address(`${head}0\r\n${trailer}\r\n\r\n`)).toMatchObject({ authorities: [a], hostShown });
  });

  it.each<[string, string[], object[], string, boolean, boolean?]>([
    ['GET /x', ['Host: a.test:443'], [{ ...a, port: '443' }], 'https://a.test/x', false],
    ['GET /x', ['Host: a.test:00443'], [{ ...a, port: '443' }], 'https://a.test/x', false],
    ['GET /x', ['Host: a.test:8443'], [{ ...a, port: '8443' }], 'https://a.test:8443/x', false],
    ['GET /x', ['Host: «a.test»'], [], 'https://server.test/x', false],
    ['GET /x', ['Host: a«.»test'], [], 'https://server.test/x', false],
    ['GET /«x»', ['Host: a.test'], [a], 'https://a.test/\ufffd', true],
    ['GET «/»x', ['Host: a.test'], [a], '\ufffdx', true, false],
    ['OPTIONS *', [], [], 'https://server.test', false],
    ['CONNECT b.test:80', ['Host: a.test'], [a, { host: 'b.test', port: '80' }], 'https://b.test:80', false],
    ['CONNECT A.test.:443', [], [{ ...a, port: '443' }], 'https://A.test.:443', false],
    ['CONNECT «b».test:80', ['Host: a.test'], [a], 'https://\ufffd.test:80', true, false],
    ['GET HTTPS://B.test.:1/x', ['Host: a.test'], [a, { host: 'b.test', port: '1' }], 'HTTPS://B.test.:1/x', false],
    ['GET https://b.test?x', [], [{ host: 'b.test', port: null }], 'https://b.test?x', false],
    ['GET https://«b».test/x', ['Host: a.test'], [a], 'https://\ufffd.test/x', true, false],
    ['GET https://a.test/«x»', ['Host: a.test'], [a, a], 'https://a.test/\ufffd', true],
    ['GET https://a.test«/»x', ['Host: a.test'], [a], 'https://a.test\ufffdx', true, false],
    ['GET «h»ttps://b.test/', ['Host: a.test'], [a], '\ufffdttps://b.test/', true, false],
  ])('%s, %j', (line, headers, authorities, url, urlHidden, isAuthorityKnown = true) => {
    const hostShown = isAuthorityKnown && headers.some((header) => !header.includes('«'));
    expect(address(request(line, ...headers))).toEqual({ authorities, hostShown, url, urlHidden });
  });

  it.each([
    ['GET /', ['Host: a.test', 'host: a.test'], 'it has more than one Host header.'],
    ['GET /', ['Host: u@a.test'], 'its Host is not a name and an optional port.'],
    ['GET /', ['Host: a.test:123456'], 'its Host is not a name and an optional port.'],
    ['GET https:///x', [], 'its Host is not a name and an optional port.'],
    ['GET https://u@a.test/', [], 'its Host is not a name and an optional port.'],
    ['CONNECT u@b.test:443', ['Host: a.test'], 'its Host is not a name and an optional port.'],
    ['GET xhttps://a.test/', [], 'the target is neither a path nor an https URL.'],
    ['GET ?https://a.test/', [], 'the target is neither a path nor an https URL.'],
  ])('is refused: %s, %j', (line, headers, message) => {
    expect(() => address(request(line, ...headers))).toThrow(`Transcript parsing failed: request: ${message}`);
  });
});
