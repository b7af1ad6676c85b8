import { describe, expect, it } from 'vitest';
import { createScenario } from '../../../hosts/platform-simulator/scenario.ts';

describe('the scenario', () => {
  it('is the same every time', () => {
    const facts = (): string => {
      const { world: _world, ...rest } = createScenario();
      return JSON.stringify(rest);
    };
    expect(facts()).toBe(facts());
  });

  it('holds each creator where it says', () => {
    const scenario = createScenario({ instagramComments: 500 });
    for (const creator of scenario.creators) {
      const place = creator.platform === 'instagram' ? scenario.instagramPost : scenario.tiktokPost;
      const thread = scenario.world.findPost(place.platform, place.contentId)?.thread;
      const comments = thread?.page(0, thread.size) ?? [];
      const replies = comments.flatMap((comment) => thread?.replies(comment.id, 0, 999) ?? []);
      const at = {
        comment: comments.some(({ handle }) => handle === creator.handle),
        reply: replies.some(({ handle }) => handle === creator.handle),
      };
      expect({ handle: creator.handle, ...at }).toEqual({
        handle: creator.handle,
        comment: creator.part === 'comment',
        reply: creator.part === 'reply',
      });
      expect(comments.length + replies.length).toBe(place.comments + place.replies);
    }
  });
});
