/**
 * Certificates with seeded changes to their structure, signed again by their issuer: what a careless or hostile authority
 * could issue. Signatures hold, so that only the readers of certificates decide.
 */
import { type KeyObject, sign } from 'node:crypto';
import type { seededRandom } from './proof-builder.ts';
import { words } from './words.ts';

type Random = ReturnType<typeof seededRandom>;

/** DER as a tree. Octet strings and bit strings that wrap DER have children too, after `prefix`. */
interface Node {
  tag: number;
  prefix: Uint8Array;
  content: Uint8Array | Node[];
  /** Bytes of the length more than needed; -1 for an indefinite length. */
  surplus: number;
}

const SEQUENCE = 0x30;
const CONSTRUCTED = 0x20;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const NONE = new Uint8Array();

function parseAll(bytes: Uint8Array): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    const count = first > 0x7f ? first & 0x7f : 0;
    const length =
      count === 0 ? first : Number.parseInt(Buffer.from(bytes.subarray(at + 2, at + 2 + count)).toString('hex'), 16);
    const start = at + 2 + count;
    if (!(start + length <= bytes.length)) throw new Error('not DER');
    nodes.push(nodeOf(tag, bytes.subarray(start, start + length)));
    at = start + length;
  }
  return nodes;
}

function nodeOf(tag: number, content: Uint8Array): Node {
  const plain: Node = { tag, prefix: NONE, content, surplus: 0 };
  if ((tag & CONSTRUCTED) !== 0) return { ...plain, content: parseAll(content) };
  const skipped = tag === BIT_STRING ? 1 : 0;
  const wraps = (tag === BIT_STRING || tag === OCTET_STRING) && content[skipped] === SEQUENCE;
  if (!wraps) return plain;
  try {
    return { ...plain, prefix: content.subarray(0, skipped), content: parseAll(content.subarray(skipped)) };
  } catch {
    return plain;
  }
}

function encode({ tag, prefix, content, surplus }: Node): Uint8Array {
  const inner = Buffer.concat([prefix, content instanceof Uint8Array ? content : Buffer.concat(content.map(encode))]);
  if (surplus === -1) return Buffer.concat([Uint8Array.of(tag, 0x80), inner, Uint8Array.of(0, 0)]);
  const digits: number[] = [];
  for (let left = inner.length; left > 0; left >>>= 8) digits.unshift(left & 0xff);
  if (inner.length < 0x80 && surplus === 0) return Buffer.concat([Uint8Array.of(tag, inner.length), inner]);
  const padded = [...Array.from({ length: surplus }, () => 0), ...digits];
  return Buffer.concat([Uint8Array.of(tag, 0x80 | padded.length, ...padded), inner]);
}

function nodesBelow(node: Node): Node[] {
  return Array.isArray(node.content) ? node.content.flatMap((child) => [child, ...nodesBelow(child)]) : [];
}

const ALL_TAGS = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x30, 0x31, 0x80, 0x81, 0x82, 0x86, 0x87, 0x88,
  0x89, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0x22, 0x24, 0x42, 0x1f, 0x3f,
];
const NAMES =
  '* *.* *.test *.b.test a.test A.TEST a.test. .a.test a..test -a.test a_b.test ' +
  'a-.test ä.test 127.0.0.1 a.1 *.a.b.test a*.b.test x.*.test xn--a';
const TIMES =
  '700101000000Z 491231235959Z 19700101000000Z 00010101000000Z 19691231235959Z 99991231235959Z ' +
  '2601010000Z 260101000000+0000 260230000000Z 250101000060Z 20250101000000.5Z 20250101000000Z';
const TEXTS = ['', ...words(NAMES), 'a.test\0', ' a.test', ...words(TIMES)];

const pick = <T>(items: readonly T[], random: Random): T => items[random.below(items.length)] as T;

/** A change to one primitive value. */
function changeValue(value: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(value);
  const at = random.below(Math.max(1, copy.length));
  const changes = [
    () => copy.fill((copy[at] ?? 0) ^ (1 << random.below(8)), at, at + 1),
    () => copy.fill(pick([0, 1, 2, 3, 4, 6, 7, 0x7f, 0x80, 0xff], random), at, at + 1),
    () => Uint8Array.of(...value, random.below(256)),
    () => Uint8Array.of(pick([0, 1, 0x80, 0xff], random), ...value),
    () => value.subarray(0, random.below(value.length + 1)),
    () => value.subarray(random.below(value.length + 1)),
    () => random.bytes(pick([0, 1, 2, 19, 20, 21, 40], random)),
    () => Uint8Array.from([0x00, 0x01, 0x7f, ...random.bytes(18)].slice(random.below(3))),
    () => Uint8Array.from(Buffer.from(pick(TEXTS, random), 'latin1')),
  ];
  return pick(changes, random)();
}

/** A change to one place of the tree below `root`. */
function changeTree(root: Node, random: Random): void {
  const nodes = [root, ...nodesBelow(root)];
  const node = pick(nodes, random);
  const { content } = node;
  switch (random.below(Array.isArray(content) ? 10 : 6)) {
    case 0:
      node.tag = pick(ALL_TAGS, random);
      return;
    case 1:
      node.surplus = pick([1, 2, 3, -1], random);
      return;
    case 2:
    case 3:
    case 4:
      if (content instanceof Uint8Array) node.content = changeValue(content, random);
      else if (node.prefix.length > 0) node.prefix = Uint8Array.of(random.below(9));
      else content.splice(random.below(content.length + 1), 0, structuredClone(pick(nodes, random)));
      return;
    case 5:
      if (node.tag === BIT_STRING && content instanceof Uint8Array) {
        node.content = Uint8Array.of(1 + random.below(7), ...content.subarray(1));
      } else node.tag ^= CONSTRUCTED;
      return;
    default:
      if (Array.isArray(content)) changeList(content, nodes, random);
  }
}

function changeList(list: Node[], nodes: readonly Node[], random: Random): void {
  const at = random.below(list.length + 1);
  const changes = [
    () => list.splice(at, 1),
    () => list.splice(at, 0, structuredClone(pick(list.length > 0 ? list : nodes, random))),
    () => list.reverse(),
    () => list.splice(at, 0, newNode(random)),
    () => list.splice(at, 0, structuredClone(pick(nodes, random))),
  ];
  pick(changes, random)();
}

const newNode = (random: Random): Node => ({
  tag: pick(ALL_TAGS, random),
  prefix: NONE,
  content: random.bytes(random.below(4)),
  surplus: 0,
});

/**
 * The certificate with one to three changes. Most are to what the issuer signs, a few to the rest.
 * @param issuer an ECDSA key; signs with the hash that its certificate names.
 */
export function mutateCertificate(der: Uint8Array, issuer: KeyObject, random: Random): Uint8Array {
  const [certificate] = parseAll(der);
  const parts = certificate?.content;
  if (certificate === undefined || !Array.isArray(parts)) throw new Error('not a certificate');
  const [tbs] = parts;
  if (tbs === undefined) throw new Error('not a certificate');
  const changesRest = random.below(8) === 0;
  const times = 1 + (random.below(4) === 0 ? random.below(3) : 0);
  if (!changesRest) for (let i = 0; i < times; i++) changeTree(tbs, random);
  const signature = signatureOf(encode(tbs), issuer);
  parts[2] = { tag: BIT_STRING, prefix: NONE, content: signature, surplus: 0 };
  if (changesRest) {
    const target = pick([certificate, ...parts.slice(1)], random);
    if (target === certificate) changeList(parts, nodesBelow(tbs), random);
    else changeTree(target, random);
  }
  const bytes = encode(certificate);
  return random.below(40) === 0 ? Uint8Array.of(...bytes, 0) : Uint8Array.from(bytes);
}

/** The parts of a certificate as encoded elements; those of `tbs` are what the issuer signs. */
export interface CertificateParts {
  tbs: Uint8Array[];
  /** Algorithm, signature, and whatever else is put behind them. */
  rest: Uint8Array[];
}

/** The certificate with parts changed by hand, signed again by its issuer. */
export function rewriteCertificate(der: Uint8Array, issuer: KeyObject, edit: (parts: CertificateParts) => void) {
  const [certificate] = parseAll(der);
  if (!Array.isArray(certificate?.content)) throw new Error('not a certificate');
  const [tbs, algorithm] = certificate.content;
  if (!Array.isArray(tbs?.content) || algorithm === undefined) throw new Error('not a certificate');
  const parts: CertificateParts = { tbs: tbs.content.map(encode), rest: [encode(algorithm)] };
  edit(parts);
  const signed = element(SEQUENCE, ...parts.tbs);
  const [outer = NONE, signature, ...more] = parts.rest;
  return element(SEQUENCE, signed, outer, signature ?? element(BIT_STRING, signatureOf(signed, issuer)), ...more);
}

/** One element of DER. */
export function element(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(encode({ tag, prefix: NONE, content: Buffer.concat(content), surplus: 0 }));
}

/** The content of a BIT STRING: no unused bits, then the signature. */
function signatureOf(bytes: Uint8Array, issuer: KeyObject): Uint8Array {
  const hash = issuer.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'sha384' : 'sha256';
  return Uint8Array.of(0, ...sign(hash, bytes, issuer));
}
