import type { DrawStore } from '../../core/ports/draw-store.ts';
import { DRAWS } from './tables.ts';
import type { SqlConnection } from './work.ts';

export function createDrawStore(connection: SqlConnection): DrawStore {
  return {
    async keep(seed) {
      await connection.write((sql) => DRAWS.insert(sql, { ...seed, state: 'open' }));
    },

    find: (commitment) => connection.read((sql) => DRAWS.find(sql, 'WHERE commitment = ?', commitment)),

    decide: (commitment, draw) =>
      connection.write(function* (sql) {
        const open = "WHERE commitment = ? AND state = 'open'";
        return (yield* DRAWS.update(sql, { draw, state: 'drawn' }, open, commitment)) > 0;
      }),

    unreleased: (limit) =>
      connection.read((sql) => DRAWS.select(sql, "WHERE state = 'drawn' ORDER BY commitment LIMIT ?", limit)),

    async markReleased(commitment) {
      const drawn = "WHERE commitment = ? AND state = 'drawn'";
      await connection.write((sql) => DRAWS.update(sql, { state: 'released' }, drawn, commitment));
    },
  };
}
