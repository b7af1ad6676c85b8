import { describe, expect, it } from 'vitest';
import { evaluate, formatEvaluation, type MutationReport, shortcomings } from '../../mutation/evaluate.ts';

const at = (line: number, from: number, to: number) => ({
  start: { line, column: from },
  end: { line, column: to },
});

const report: MutationReport = {
  files: {
    'core/a.ts': {
      source: 'const a = 1 + 2;\nlogger.info("done");\nif (a > 2) stop();\n',
      mutants: [
        { mutatorName: 'ArithmeticOperator', replacement: '1 - 2', status: 'Killed', location: at(1, 11, 16) },
        { mutatorName: 'BooleanLiteral', replacement: 'x', status: 'Timeout', location: at(1, 11, 16) },
        { mutatorName: 'StringLiteral', replacement: '""', status: 'Survived', location: at(2, 13, 19) },
        { mutatorName: 'EqualityOperator', replacement: 'a >= 2', status: 'NoCoverage', location: at(3, 5, 10) },
        { mutatorName: 'EqualityOperator', replacement: 'a <= 2', status: 'CompileError', location: at(3, 5, 10) },
      ],
    },
  },
};

it('counts what was noticed of what could be tried, and explains by file, line, mutator and replacement', () => {
  const why = 'wording of log lines';
  const evaluation = evaluate(report, [
    { file: 'core/b.ts', why: 'another file' },
    { mutator: 'EqualityOperator', replacement: 'a < 2', why: 'another replacement' },
    { file: 'core/a.ts', line: /^logger\./, mutator: 'StringLiteral', why },
  ]);
  expect(evaluation).toMatchObject({ score: 50, detected: 2, survived: 2, explained: [{ why, survivors: 1 }] });
  expect(evaluation.unexplained).toEqual([
    {
      file: 'core/a.ts',
      line: 3,
      mutator: 'EqualityOperator',
      original: 'a > 2',
      replacement: 'a >= 2',
      uncovered: true,
    },
  ]);
  const text = formatEvaluation('area', evaluation);
  expect(text).toContain('area: 50.0 % (2 detected, 2 survived)');
  expect(text).toContain('core/a.ts:3  EqualityOperator, never run: a > 2 → a >= 2');
});

it('an area without mutants lacks nothing', () => {
  expect(evaluate({ files: {} }, []).score).toBe(100);
});

describe('what a run lacks', () => {
  const mutant = (status: string) => ({
    mutatorName: 'BooleanLiteral',
    replacement: 'x',
    status,
    location: at(1, 1, 2),
  });
  const mutants = (killed: number, survived: number) => [
    ...Array.from({ length: killed }, () => mutant('Killed')),
    ...Array.from({ length: survived }, () => mutant('Survived')),
  ];
  const lacks = (files: Readonly<Record<string, readonly [killed: number, survived: number]>>) => {
    const evaluation = evaluate(
      {
        files: Object.fromEntries(
          Object.entries(files).map(([file, counts]) => [file, { source: 'true', mutants: mutants(...counts) }]),
        ),
      },
      [{ file: 'explained.ts', why: 'explained' }],
    );
    return shortcomings(evaluation, (file) => file.startsWith('critical'));
  };

  it('is nothing from 80 % on, if survivors of critical files are explained', () => {
    expect(lacks({ 'critical.ts': [4, 0], 'a.ts': [4, 2] })).toEqual([]);
    expect(lacks({ 'explained.ts': [0, 1], 'a.ts': [4, 0] })).toEqual([]);
  });

  it('is its score, which explanations do not better', () => {
    expect(lacks({ 'a.ts': [79, 21] })).toEqual(['The score is 79.0 %; it has to be 80 %.']);
    expect(lacks({ 'explained.ts': [0, 21], 'a.ts': [79, 0] })).toHaveLength(1);
  });

  it('is each file of which too little is detected or explained', () => {
    expect(lacks({ 'a.ts': [6, 4], 'b.ts': [59, 41], 'c.ts': [900, 0] })).toEqual([
      'b.ts: less than 60 % of its mutants are detected or explained.',
    ]);
  });

  it('is each critical file with a survivor that is not explained', () => {
    expect(lacks({ 'critical.ts': [99, 2] })).toEqual([
      'critical.ts is critical: explain each survivor, or write a test that detects it.',
    ]);
  });
});
