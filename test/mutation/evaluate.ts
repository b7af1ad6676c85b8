/** What a run of the mutation tests says, read from Stryker's report. */

export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** Why mutants survive and may: they match when everything that is given does. */
export interface Explanation {
  readonly file?: string;
  /** In the line where the mutant begins. */
  readonly line?: string | RegExp;
  readonly mutator?: string;
  readonly replacement?: string | RegExp;
  readonly why: string;
}

export interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** No test ran the code at all. */
  readonly uncovered: boolean;
}

export interface FileScore {
  readonly file: string;
  readonly detected: number;
  readonly survived: number;
  readonly unexplained: number;
}

/** What a run has to reach, in percent. */
export const LEAST = {
  /** Of an area, whether survivors are explained or not. */
  area: 80,
  /** Of a file, so that none hides behind the others of its area; survivors that are explained do not count. */
  file: 60,
} as const;

export interface Evaluation {
  /** Detected mutants of all that could be tried, in percent. */
  readonly score: number;
  readonly detected: number;
  readonly survived: number;
  readonly files: readonly FileScore[];
  readonly explained: readonly { readonly why: string; readonly survivors: number }[];
  readonly unexplained: readonly Survivor[];
}

const DETECTED = new Set(['Killed', 'Timeout']);
const SURVIVED = new Set(['Survived', 'NoCoverage']);

/** Survivors count against the score whether they are explained or not. */
export function evaluate(report: MutationReport, explanations: readonly Explanation[]): Evaluation {
  const files: FileScore[] = [];
  const unexplained: Survivor[] = [];
  const explained = new Map<string, number>();
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const lines = source.split('\n');
    const survivors = mutants.filter(({ status }) => SURVIVED.has(status));
    const detected = mutants.filter(({ status }) => DETECTED.has(status)).length;
    const known = unexplained.length;
    for (const mutant of survivors) {
      const survivor = survivorOf(file, lines, mutant);
      const line = lines[survivor.line - 1] ?? '';
      const explanation = explanations.find((each) => explains(each, survivor, line));
      if (explanation === undefined) unexplained.push(survivor);
      else explained.set(explanation.why, (explained.get(explanation.why) ?? 0) + 1);
    }
    files.push({ file, detected, survived: survivors.length, unexplained: unexplained.length - known });
  }
  const detected = files.reduce((sum, file) => sum + file.detected, 0);
  const survived = files.reduce((sum, file) => sum + file.survived, 0);
  return {
    score: detected + survived === 0 ? 100 : (100 * detected) / (detected + survived),
    detected,
    survived,
    files,
    explained: [...explained].map(([why, survivors]) => ({ why, survivors })),
    unexplained,
  };
}

/**
 * Why a run fails; nothing if it does not.
 * @param isCritical whether every survivor in the file has to be explained
 */
export function shortcomings(
  { score, files, unexplained }: Evaluation,
  isCritical: (file: string) => boolean,
): readonly string[] {
  const weak = files.filter((file) => 100 * file.unexplained > (100 - LEAST.file) * (file.detected + file.survived));
  const open = new Set(unexplained.map(({ file }) => file).filter(isCritical));
  return [
    ...(score < LEAST.area ? [`The score is ${score.toFixed(1)} %; it has to be ${LEAST.area} %.`] : []),
    ...weak.map(({ file }) => `${file}: less than ${LEAST.file} % of its mutants are detected or explained.`),
    ...[...open].map((file) => `${file} is critical: explain each survivor, or write a test that detects it.`),
  ];
}

function survivorOf(file: string, lines: readonly string[], mutant: Mutant): Survivor {
  const { start, end } = mutant.location;
  const text = lines.slice(start.line - 1, end.line);
  text[text.length - 1] = text[text.length - 1]?.slice(0, end.column - 1) ?? '';
  text[0] = text[0]?.slice(start.column - 1) ?? '';
  return {
    file,
    line: start.line,
    mutator: mutant.mutatorName,
    original: text.join('\n'),
    replacement: mutant.replacement ?? '',
    uncovered: mutant.status === 'NoCoverage',
  };
}

function explains(explanation: Explanation, survivor: Survivor, line: string): boolean {
  return (
    (explanation.file === undefined || explanation.file === survivor.file) &&
    (explanation.mutator === undefined || explanation.mutator === survivor.mutator) &&
    matches(explanation.line, line) &&
    matches(explanation.replacement, survivor.replacement)
  );
}

function matches(pattern: string | RegExp | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  return typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);
}

export function formatEvaluation(area: string, evaluation: Evaluation): string {
  const { score, detected, survived, files, explained, unexplained } = evaluation;
  const weakest = files
    .filter((file) => file.survived > 0)
    .sort((a, b) => b.survived - a.survived)
    .map((file) => `  ${percent(file).padStart(6)}  ${String(file.survived).padStart(4)} survived  ${file.file}`);
  return [
    `${area}: ${score.toFixed(1)} % (${detected} detected, ${survived} survived)`,
    ...weakest,
    ...(explained.length > 0 ? ['', 'Explained:'] : []),
    ...explained.map(({ why, survivors }) => `  ${String(survivors).padStart(4)}  ${why}`),
    ...(unexplained.length > 0 ? ['', `Not explained (${unexplained.length}):`] : []),
    ...unexplained.map(formatSurvivor),
    '',
  ].join('\n');
}

function percent({ detected, survived }: FileScore): string {
  return `${((100 * detected) / (detected + survived)).toFixed(0)} %`;
}

function formatSurvivor({ file, line, mutator, original, replacement, uncovered }: Survivor): string {
  const what = `${short(original)} → ${short(replacement)}`;
  return `  ${file}:${line}  ${mutator}${uncovered ? ', never run' : ''}: ${what}`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
