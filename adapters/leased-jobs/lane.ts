/** The slots of this process for one type of jobs, and what waits for them. */
import type { JobHandlers, JobType } from '../../core/ports/job-queue.ts';
import { DEFAULT_CONCURRENCY } from './options.ts';
import { createRoomWait, type RoomWait } from './room-wait.ts';
import { type Work, worksOf } from './run-job.ts';
import { createWaitingRoom, type WaitingRoom } from './waiting-room.ts';

export interface Lane {
  readonly type: JobType;
  readonly work: Work;
  /** Jobs that run at a time. */
  readonly slots: number;
  busy: number;
  /** How many of `busy` have run and only record their outcome. `freeSlots` leaves them out, up to a bound. */
  ending: number;
  /** Claimed, with no slot yet. */
  readonly room: WaitingRoom;
  readonly roomWait: RoomWait;
  /** Jobs that are being enqueued, and may be claimed with it. */
  coming: number;
  /** Whether the storage gets the next free slot, if jobs wait there and the room is crowded. */
  isStorageNext: boolean;
  refill: ReturnType<typeof setTimeout> | null;
  isClaiming: boolean;
  /** Until a group of the room has rested. */
  rest: ReturnType<typeof setTimeout> | null;
  /** There may be more in the storage than the free slots have asked for. */
  backlog: boolean;
  /** There is: the last claim was full, or jobs were enqueued without a claim since. */
  isBehind: boolean;
}

/**
 * Jobs beyond its free slots that a process claims while it enqueues them. That costs nothing; a later claim costs as much as
 * recording the run. Only for jobs that end soon: other processes do not get them, and after a crash they wait for their lease.
 */
const CLAIMED_AHEAD: Partial<Record<JobType, number>> = { 'deliver-webhook': 1_024 };

/** For each slot, so many jobs may write their outcomes. They wait for the disk together, longer than a quick receiver takes. */
const ENDING_PER_SLOT = 8;

export function freeSlots({ slots, busy, ending }: Lane): number {
  return slots - busy + Math.min(ending, slots * ENDING_PER_SLOT);
}

/** So many jobs one claim brings at most. The first should not wait long for the last. */
const MOST_OF_A_CLAIM = 64;

/** With fewer jobs than this share of its slots in the room, a lane claims the next ones. */
const LOW_ROOM_SHARE = 1 / 4;

const aheadOf = (type: JobType) => CLAIMED_AHEAD[type] ?? 0;

/**
 * How many jobs the next claim should bring; none without a free slot. A claim costs much the same for one job as for many.
 * So of jobs that may be claimed ahead it brings one more for each free slot. Slow receivers free few slots at a time: then almost
 * all jobs stay in the storage, where other processes get them.
 */
export function claimSize(lane: Lane): number {
  const free = freeSlots(lane);
  const isAhead = aheadOf(lane.type) > 0 && lane.room.size < MOST_OF_A_CLAIM;
  return Math.min(isAhead ? 2 * free : free, MOST_OF_A_CLAIM);
}

/** Whether the room holds more than a claim brings: jobs in the storage would wait long for those. */
export function isCrowded({ room }: Lane): boolean {
  return room.size > MOST_OF_A_CLAIM;
}

/** Whether the next claim should come before the room is empty. */
export function isLow({ room, slots }: Lane): boolean {
  return room.size < slots * LOW_ROOM_SHARE;
}

/** How many more jobs may be claimed while they are enqueued. */
export function roomOf(lane: Lane): number {
  return freeSlots(lane) + aheadOf(lane.type) - lane.room.size - lane.coming;
}

export function lanesOf(handlers: JobHandlers, concurrency: Partial<Record<JobType, number>>): readonly Lane[] {
  return [...worksOf(handlers)].map(([type, work]) => {
    const slots = concurrency[type] ?? DEFAULT_CONCURRENCY[type];
    const lane: Lane = {
      type,
      work,
      slots,
      busy: 0,
      ending: 0,
      room: createWaitingRoom(aheadOf(type)),
      roomWait: createRoomWait({
        isRoomy: () => !lane.isBehind && roomOf(lane) >= aheadOf(type) / 2,
        isDraining: (done) => !lane.isBehind && done >= aheadOf(type) / 8,
      }),
      coming: 0,
      isStorageNext: false,
      refill: null,
      isClaiming: false,
      rest: null,
      backlog: false,
      isBehind: false,
    };
    return lane;
  });
}
