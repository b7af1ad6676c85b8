import { expect, it } from 'vitest';
import { evaluate, formatEvaluation, type MutationReport } from '../../mutation/evaluate.ts';

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
