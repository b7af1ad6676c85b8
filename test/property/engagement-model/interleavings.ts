/** Every outcome that operations at the same time may have, by the pure model. */
import {
  type Answer,
  type Background,
  backgroundSteps,
  begin,
  type Operation,
  type Progress,
  type State,
} from './model.ts';

export interface Outcome {
  readonly state: State;
  /** In the order of the operations. */
  readonly answers: readonly string[];
}

interface Node {
  readonly state: State;
  readonly parts: readonly (Progress | Answer)[];
}

const isAnswer = (part: Progress | Answer): part is Answer => 'answer' in part;

/** Walks through all interleavings of the operations' steps and of the background's. */
export function outcomesOf(start: State, operations: readonly Operation[], background: Background): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  const seen = new Set<string>();
  const pending: Node[] = [{ state: start, parts: operations.map(begin) }];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { state, parts } = node;
    const key = JSON.stringify([state, parts.map((part) => (isAnswer(part) ? part.answer : part.name))]);
    if (seen.has(key)) continue;
    seen.add(key);
    const answers = parts.filter(isAnswer).map(({ answer }) => answer);
    if (answers.length === parts.length) outcomes.push({ state, answers });
    for (const next of backgroundSteps(state, background)) pending.push({ state: next, parts });
    parts.forEach((part, index) => {
      if (isAnswer(part)) return;
      const step = part.step(state);
      pending.push({ state: step.state, parts: parts.map((each, at) => (at === index ? step.next : each)) });
    });
  }
  return outcomes;
}
