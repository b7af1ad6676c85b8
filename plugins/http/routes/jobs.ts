/** The background work: what waits, runs and was given up, for operators. */
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import {
  JOB_STATES,
  JOB_TYPES,
  type JobBoard,
  type JobQueue,
  type JobRecord,
  type JobType,
} from '../../../core/ports/job-queue.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import { BY_ID, type ListOrder, readListPage } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, pageOf, pageQuery, timestamp } from '../schemas.ts';

const BY_DUE: ListOrder<JobRecord> = { by: 'at', positionOf: ({ id, dueAt }) => ({ id, at: dueAt }) };

const jobSchema = z
  .object({
    id: z.int(),
    type: z.enum(JOB_TYPES),
    state: z.enum(JOB_STATES),
    payload: z.record(z.string(), z.unknown()).meta({ description: 'What it is about, for example an attempt.' }),
    runs: z.int().meta({ description: 'How often it was run; without runs that a shutdown cut short.' }),
    error: z.string().nullable().meta({ description: 'Why its last failed run failed.' }),
    nextRunAt: timestamp.nullable().meta({ description: 'The earliest time of the next run; null unless it waits.' }),
    createdAt: timestamp,
    finishedAt: timestamp.nullable().meta({ description: 'When it was given up.' }),
  })
  .meta({ id: 'Job' });

const query = pageQuery.extend({
  state: z.enum(JOB_STATES).meta({ example: 'dead' }),
  type: z.enum(JOB_TYPES).optional().meta({ description: 'Jobs of this kind only.' }),
});

const AN_ID_OR_TYPE = new RegExp(`^(?:[1-9][0-9]{0,14}|${JOB_TYPES.join('|')})$`);
const params = z.object({
  job: z
    .string()
    .regex(AN_ID_OR_TYPE, `must be the id of a job, or one of ${JOB_TYPES.join(', ')}`)
    .meta({ description: 'The id of a dead job, or a kind for all dead ones of it.', example: 'issue-reward' }),
});

const retriedSchema = z
  .object({
    retried: z.int(),
    left: z.int().meta({ description: 'Dead jobs of the kind that are left: repeat the call.' }),
  })
  .meta({ id: 'RetriedJobs' });

const common = { tag: 'Service', access: 'admin', brand: 'none' } as const;

export function createJobRoutes({ queue }: { readonly queue: JobQueue }) {
  return [
    defineRoute('listJobs', 'GET /admin/jobs', {
      ...common,
      summary: 'List the background jobs of one state',
      description:
        'Dead ones newest first, the others by when they are due. Jobs that are done are gone. With BullMQ, look into its queues in Redis instead.',
      query,
      responses: { 200: { description: 'A page of jobs.', schema: pageOf(jobSchema) } },
      errors: ['NOT_SUPPORTED'],
      handle: async ({ query: { state, type, ...page } }) => {
        const board = boardOf(queue);
        const read = (request: PageRequest) => board.list({ state, type }, request);
        const toRow = ({ dueAt, payload, ...job }: JobRecord) => ({
          ...job,
          state,
          payload: payload as Record<string, unknown>,
          nextRunAt: state === 'waiting' ? dueAt : null,
        });
        return reply(200, await readListPage(page, read, state === 'dead' ? BY_ID : BY_DUE, toRow));
      },
    }),
    defineRoute('retryJobs', 'POST /admin/jobs/{job}/retry', {
      ...common,
      summary: 'Run a dead job again, or all dead jobs of a kind',
      description:
        'Queues the work again and removes the dead jobs, some 500 a call. Work that is concluded or queued already is not done twice.',
      audit: 'job',
      params,
      responses: { 200: { description: 'The jobs are queued.', schema: dataOf(retriedSchema) } },
      errors: ['NOT_SUPPORTED'],
      handle: async ({ params: { job } }) => reply(200, { data: await retry(boardOf(queue), job) }),
    }),
  ];
}

async function retry(board: JobBoard, job: string) {
  const id = Number(job);
  if (!Number.isNaN(id)) {
    const retried = await board.retry({ id });
    if (retried === 0) throw new DomainError('NOT_FOUND', `There is no dead job ${id}.`);
    return { retried, left: 0 };
  }
  // The schema takes no other text.
  const type = job as JobType;
  const retried = await board.retry({ type });
  const { total: left } = await board.list({ state: 'dead', type }, { page: 1, limit: 1 });
  return { retried, left };
}

/** @throws DomainError `NOT_SUPPORTED` */
function boardOf({ board }: JobQueue): JobBoard {
  if (board !== undefined) return board;
  const hint = 'With BullMQ, look into its queues in Redis, for example with bull-board.';
  throw new DomainError('NOT_SUPPORTED', `This job queue cannot list its jobs. ${hint}`);
}
