/** How a value of a JSON body is named. */

/** The names and indices that lead to it. */
export type Steps = readonly (string | number)[];

/** As rules of redaction name a value. What has a meaning in them is escaped. */
export const redactionPath = (steps: Steps) =>
  steps.map((step) => String(step).replaceAll(/[\\.[*]/g, '\\$&')).join('.');

/** As JMESPath names it. */
export const queryPath = (steps: Steps) =>
  steps
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      return (at > 0 ? '.' : '') + (/^[A-Za-z_]\w*$/.test(step) ? step : JSON.stringify(step));
    })
    .join('');
