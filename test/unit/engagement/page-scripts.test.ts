import { describe, expect, it } from 'vitest';
import { scriptsWith } from '../../../core/engagement/connections/page-scripts.ts';

const WANTED = { type: 'application/json', 'data-sjs': '' };
const script = (content: string, attributes = 'type="application/json" data-sjs') =>
  `<script ${attributes}>${content}</script>`;
const AMBIGUOUS = 'its page is HTML that can be read in more than one way';

describe('the scripts of a page', () => {
  it.each([
    [script('1')],
    [`<!DOCTYPE html><p class="a > b">x < y</p>${script('1')}<p>`],
    [script('1', "data-sjs='' TYPE=application/json")],
    [script('1', 'type = "application/json"\n data-sjs data-x="<script>"')],
    [script('1', 'type="application/json" type="text/x" data-sjs')],
    [script('1').replace('</script>', '</SCRIPT >')],
    [`<!-- ${script('2')} -->${script('1')}`],
    [`<!-->${script('1')}`],
    [`<!--->${script('1')}`],
    [`<? ${'x'} ?></ >${script('1')}`],
    [`<title>${'<script type="application/json" data-sjs>2'}</title>${script('1')}`],
    [`<textarea>${script('2')}</textarea>${script('1')}`],
    [`<noscript>${script('2')}</noscript>${script('1')}`],
    [`<style>${script('2')}</style>${script('1')}`],
    [`<a title='${script('2')}'>${script('1')}`],
    [`<a title="${script('2').replaceAll('"', "'")}">${script('1')}`],
    [`${script('1')}<plaintext>${script('2')}`],
    [script('2', 'type="text/javascript" data-sjs') + script('1')],
    [script('2', 'data-sjs') + script('1')],
    [script('2', 'type="application/json" data-sjs="x"') + script('1')],
    [`<script>document.write("<p>")</script>${script('1')}`],
    [`<script>if (a <!--b) {}</script>${script('1')}`],
    [`<scripty type="application/json" data-sjs>2</scripty>${script('1')}`],
    [`1 < 2, <3 and <${script('1')}`],
  ])('are found as browsers find them: %s', (html) => {
    expect(scriptsWith(html, WANTED)).toEqual(['1']);
  });

  it('are none in a page without any, and all of several', () => {
    expect(scriptsWith('', WANTED)).toEqual([]);
    expect(scriptsWith('text', WANTED)).toEqual([]);
    expect(scriptsWith(script('1') + script('2'), WANTED)).toEqual(['1', '2']);
  });

  it.each([
    '<script type="application/json" data-sjs>1',
    '<!-- no end',
    `<p class="a${script('1')}`,
    `<p a='b'c="d">${script('1')}`,
    `<p a"b>${script('1')}`,
    `<p =x>${script('1')}`,
    '<title>no end',
    `<svg><![CDATA[${script('1')}]]></svg>`,
    `<script><!-- <script> </script>${script('1')}`,
    '<p',
    '</p',
    '<!doctype',
  ])('are refused in HTML that can be read in two ways: %s', (html) => {
    expect(() => scriptsWith(html, WANTED)).toThrow(AMBIGUOUS);
  });

  it('are looked for among so many tags, and no more', () => {
    expect(() => scriptsWith('<b>'.repeat(200_002), WANTED)).toThrow(AMBIGUOUS);
    expect(scriptsWith(`${'<b>'.repeat(100_000)}${script('1')}`, WANTED)).toEqual(['1']);
  });
});
