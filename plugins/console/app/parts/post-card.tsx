/** A post as people know it: picture, owner, caption, numbers. */
import type { PostDetails } from '@credence/client';
import { Anchor, Group, Image, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { number } from './format.tsx';
import { useRead } from './reads.tsx';

const KEPT_MS = 30 * 60_000;

/** The post of a URL. It is read from the platform, so once for all pages. No URL: nothing is asked. */
export function usePost(url: string | null) {
  return useRead('lookups.post', { url: url ?? '' }, { enabled: url !== null, staleTime: 'static', gcTime: KEPT_MS });
}

export function PostCard({ details }: { readonly details: PostDetails }) {
  const { platform, postUrl, owner, post, stats } = details;
  // Many platforms serve their pictures to their own pages only.
  const [isHidden, hide] = useState(false);
  const known = Object.entries(stats).flatMap(([name, value]) => (value === null ? [] : [`${number(value)} ${name}`]));
  return (
    <Paper component={Group} wrap="nowrap" align="flex-start" withBorder p="sm">
      {post.thumbnailUrl !== null && !isHidden && (
        <Image src={post.thumbnailUrl} alt="" w="6rem" h="6rem" radius="md" onError={() => hide(true)} />
      )}
      <div>
        <Group gap="xs">
          <Text fw={600}>@{owner.handle}</Text>
          <Anchor href={postUrl} target="_blank" rel="noreferrer">
            Open the post on {platform}
          </Anchor>
        </Group>
        {post.caption && (
          <Text lineClamp={3} className="break">
            {post.caption}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {known.join(' · ')}
        </Text>
      </div>
    </Paper>
  );
}
