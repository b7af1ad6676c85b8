/** Waiting for room, by those who have many jobs to enqueue and lose nothing by enqueueing them later. */
export interface RoomWait {
  /** Resolves once there is room, or after a moment. */
  wait(): Promise<void>;
  /** Call it when jobs have left: if there is room, those that wait continue. */
  look(): void;
}

/** Longer than a quick receiver takes for the jobs that are ahead. */
const LONGEST_WAIT_MS = 250;
/** After a wait in vain nobody waits for so long: what is slow holds up nothing that comes after it. */
const REST_MS = 2_000;

/** `isRoomy` says whether there is room now. */
export function createRoomWait(isRoomy: () => boolean): RoomWait {
  let coming: { readonly room: Promise<void>; readonly end: () => void } | undefined;
  let restsUntil = 0;

  function end(): void {
    coming?.end();
    coming = undefined;
  }

  function start(): Promise<void> {
    const { promise: room, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      restsUntil = performance.now() + REST_MS;
      end();
    }, LONGEST_WAIT_MS);
    coming = {
      room,
      end: () => {
        clearTimeout(timer);
        resolve();
      },
    };
    return room;
  }

  return {
    async wait() {
      if (isRoomy() || performance.now() < restsUntil) return;
      await (coming?.room ?? start());
    },
    look() {
      if (coming !== undefined && isRoomy()) end();
    },
  };
}
