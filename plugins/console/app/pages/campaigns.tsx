/** All campaigns that the token may see, newest first. */

import type { Campaign } from '@credence/client';
import { Anchor, Button, Group, Select } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { BrandSelect, useBrandName } from '../parts/brands.tsx';
import { campaignState } from '../parts/campaign-state.ts';
import { number, Time } from '../parts/format.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, PagedRows, useRowPages } from '../parts/rows.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { useSession } from '../session.tsx';

const STATES = ['upcoming', 'running', 'ended'] as const;
type State = (typeof STATES)[number];

export default function Campaigns() {
  const { client, caller } = useSession();
  const brandName = useBrandName();
  const [state, setState] = useState<State | null>(null);
  const [brandId, setBrandId] = useState<string | null>(null);
  const filters = { state: state ?? undefined, brandId: brandId === null ? undefined : Number(brandId) };
  const campaigns = useRowPages(['campaigns', filters], (page, signal) =>
    client.campaigns.list({ ...page, ...filters }, { signal }),
  );
  const columns: readonly Column<Campaign>[] = [
    {
      header: 'Title',
      cell: ({ id, title }) => (
        <Anchor component={Link} href={`/campaigns/${id}`} className="break">
          {title}
        </Anchor>
      ),
    },
    { header: 'State', cell: (campaign) => <StateBadge state={campaignState(campaign)} /> },
    { header: 'Brand', cell: (campaign) => brandName(campaign.brandId) },
    { header: 'Points', cell: ({ pointsReward }) => number(pointsReward) },
    { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  const mayCreate = caller.role !== 'client';
  return (
    <Page
      title="Campaigns"
      actions={
        mayCreate && (
          <Button component={Link} href="/campaigns/new">
            Create a campaign
          </Button>
        )
      }
    >
      <Group align="end">
        <Select
          label="State"
          placeholder="All"
          clearable
          data={STATES}
          value={state}
          onChange={(value) => setState(value as State | null)}
        />
        {caller.role === 'admin' && <BrandSelect placeholder="All" clearable value={brandId} onChange={setBrandId} />}
      </Group>
      <PagedRows
        label="Campaigns"
        query={campaigns}
        columns={columns}
        rowKey={({ id }) => id}
        empty="There are no such campaigns. Create one, or change the filters."
      />
    </Page>
  );
}
