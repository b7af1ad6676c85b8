/** All campaigns that the token may see. */

import type { Campaign } from '@credence/client';
import { Button, Group, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { BrandName, BrandSelect } from '../parts/brands.tsx';
import { campaignState } from '../parts/campaign-words.ts';
import { FilterSelect, useFilters } from '../parts/filters.tsx';
import { number, StateBadge, Time } from '../parts/format.tsx';
import { Page, PageLink } from '../parts/page.tsx';
import { PagedRows, useList } from '../parts/reads.tsx';
import type { Columns } from '../parts/rows.tsx';
import { useSession } from '../session.tsx';

const STATES = ['upcoming', 'running', 'ended'] as const;
const SORTS = ['-id', 'id', 'title', '-title'] as const;

const COLUMNS: Columns<Campaign> = {
  Title: ({ id, title }) => <PageLink to={`/campaigns/${id}`}>{title}</PageLink>,
  State: (campaign) => <StateBadge state={campaignState(campaign)} />,
  Brand: ({ brandId }) => <BrandName id={brandId} />,
  Points: ({ pointsReward }) => number(pointsReward),
  Created: ({ createdAt }) => <Time at={createdAt} />,
};

export default function Campaigns() {
  const { caller } = useSession();
  const { fields, choice, set, text } = useFilters(['q', 'state', 'brand', 'sort']);
  const state = STATES.find((known) => known === fields.state);
  const q = fields.q.trim() || undefined;
  const sort = SORTS.find((known) => known === fields.sort) ?? '-id';
  const filters = { q, state, sort, brandId: fields.brand === '' ? undefined : Number(fields.brand) };
  const campaigns = useList('campaigns.list', filters);
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
        <TextInput label="Search" placeholder="A part of the title" type="search" maxLength={200} {...text('q')} />
        <FilterSelect label="State" names={STATES} {...choice('state')} />
        {caller.role === 'admin' && (
          <BrandSelect placeholder="All" clearable allowDeselect {...choice('brand')} value={fields.brand || null} />
        )}
      </Group>
      <PagedRows
        list={campaigns}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        sorting={{ headers: { Title: 'title', Created: '-id' }, by: sort, set: (by) => set('sort', by) }}
        empty="There are no such campaigns. Create one, or change the filters."
      />
    </Page>
  );
}
