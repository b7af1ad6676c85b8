/** A JSON body as it is read, in which each value is a button: what is pressed is chosen. */
import { Box, Text, UnstyledButton } from '@mantine/core';
import type { Steps } from './value-paths.ts';

interface Line {
  readonly key: string;
  readonly steps: Steps;
  readonly before: string;
  /** Of the value; absent for brackets. */
  readonly text?: string;
  readonly after: string;
}

/** As many as somebody would choose from. */
const MOST_LINES = 5_000;

interface JsonValuesProps {
  readonly body: string | null;
  /** Names the body for screen readers. */
  readonly label: string;
  /** What a press does: "Hide". */
  readonly verb: string;
  readonly pathOf: (steps: Steps) => string;
  readonly chosen: readonly string[];
  readonly onChosen: (paths: readonly string[]) => void;
}

export function JsonValues({ body, label, verb, pathOf, chosen, onChosen }: JsonValuesProps) {
  const press = (path: string) =>
    onChosen(chosen.includes(path) ? chosen.filter((other) => other !== path) : [...chosen, path]);
  const lines = linesOf(body);
  if (lines.length === 0)
    return <Text c="dimmed">The body is not JSON, or a number of it is hidden: it has no values to choose.</Text>;
  return (
    <>
      <Box component="section" className="rows" ff="monospace" fz="sm" tabIndex={0} aria-label={label} data-verb={verb}>
        {lines.map(({ key, steps, before, text, after }) => {
          const path = pathOf(steps);
          return (
            <div key={key} style={{ paddingInlineStart: `${steps.length * 1.5}ch` }}>
              {before}
              {text !== undefined && (
                <UnstyledButton
                  className="value break"
                  aria-pressed={chosen.includes(path)}
                  aria-label={`${verb} ${path}: ${text}`}
                  onClick={() => press(path)}
                >
                  {text}
                </UnstyledButton>
              )}
              {after}
            </div>
          );
        })}
      </Box>
      {lines.length >= MOST_LINES && <Text c="dimmed">The rest of the body is too long to choose from.</Text>}
    </>
  );
}

/** None if the body is not JSON, or too deep to be shown. */
function linesOf(body: string | null): readonly Line[] {
  const lines: Line[] = [];
  const visit = (value: unknown, steps: Steps, before: string, after: string) => {
    if (lines.length >= MOST_LINES) return;
    const key = JSON.stringify(steps);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (entries.length === 0) {
      const text = JSON.stringify(value);
      const isPicked = steps.length > 0 && (typeof value !== 'object' || value === null);
      lines.push(isPicked ? { key, steps, before, text, after } : { key, steps, before: before + text, after });
      return;
    }
    const isList = Array.isArray(value);
    lines.push({ key, steps, before: before + (isList ? '[' : '{'), after: '' });
    entries.forEach(([name, child], at) => {
      const step = isList ? Number(name) : name;
      visit(child, [...steps, step], isList ? '' : `${JSON.stringify(name)}: `, at < entries.length - 1 ? ',' : '');
    });
    lines.push({ key: `${key} end`, steps, before: isList ? ']' : '}', after });
  };
  try {
    visit(JSON.parse(body ?? ''), [], '', '');
  } catch {
    return [];
  }
  return lines;
}
