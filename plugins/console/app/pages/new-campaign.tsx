/** Creates a campaign: the post can be checked before. */
import { Button, Checkbox, Paper, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../parts/action.tsx';
import { BrandSelect, useBrands } from '../parts/brands.tsx';
import { fieldsOf, rulesOf } from '../parts/comment-rules.ts';
import { Failure } from '../parts/failure.tsx';
import { useFields } from '../parts/fields.ts';
import { KeepingFields, useKeeping } from '../parts/keeping.tsx';
import { LimitsFields, useLimits } from '../parts/limits.tsx';
import { LocalTimeInput, utcOf } from '../parts/local-time.tsx';
import { Page } from '../parts/page.tsx';
import { PostCard, usePost } from '../parts/post-card.tsx';
import { RequirementFields, useRequirements } from '../parts/requirements.tsx';
import { RulesFields } from '../parts/rules-fields.tsx';
import { useSession } from '../session.tsx';

const DEFAULT_POINTS = '100';
/** The post is looked for when nobody has typed for so long. */
const CALM_MS = 600;

const REVIEWED = {
  none: 'None',
  signals: 'Those with something to look at',
  all: 'All',
} as const;

const ACTIONS = [
  { value: 'comment', label: 'Comment on the post' },
  { value: 'like', label: 'Like the post' },
];

/** What the fields hold. Times are local, as `datetime-local` has them. */
const EMPTY = {
  brandId: null as string | null,
  title: '',
  description: '',
  targetUrl: '',
  action: 'comment' as 'comment' | 'like',
  countHidden: false,
  pointsReward: DEFAULT_POINTS,
  beacon: '',
  startsAt: '',
  endsAt: '',
  review: 'none' as keyof typeof REVIEWED,
};

export default function NewCampaign() {
  const { client, caller } = useSession();
  const [, goTo] = useLocation();
  const { fields, set, text } = useFields(EMPTY);
  const rules = useFields(fieldsOf(null));
  const asksForComment = fields.action === 'comment';
  const { state: required, requires } = useRequirements(null);
  const { state: keeping, terms } = useKeeping(null);
  const { state: limited, limits } = useLimits(null);
  const { data: brands = [] } = useBrands();
  // The only one needs no choice.
  const only = caller.brandId ?? (brands.length === 1 ? brands[0]?.id : undefined);
  const brandId = fields.brandId ?? (only === undefined ? null : String(only));
  const beacon = fields.beacon.trim();
  const allTerms = {
    ...terms,
    ...(fields.review !== 'none' && { review: fields.review }),
    ...(beacon !== '' && { draw: { beacon } }),
  };
  const create = useAction(
    () =>
      client.campaigns.create({
        brandId: Number(brandId),
        title: fields.title,
        description: fields.description || null,
        pointsReward: Number(fields.pointsReward),
        startsAt: utcOf(fields.startsAt),
        endsAt: utcOf(fields.endsAt),
        terms: Object.keys(allTerms).length === 0 ? null : allTerms,
        limits,
        challenge: {
          targetUrl: fields.targetUrl,
          action: fields.action,
          countHidden: asksForComment && fields.countHidden,
          rules: asksForComment ? rulesOf(rules.fields) : null,
          requires,
        },
      }),
    {
      done: ({ campaign }) => `The campaign “${campaign.title}” is active.`,
      onDone: ({ campaign }) => goTo(`/campaigns/${campaign.id}`),
      inForm: true,
    },
  );
  const [url] = useDebouncedValue(fields.targetUrl.trim(), CALM_MS);
  const post = usePost(/[^\s.]\.[^\s.]\S*\//.test(url) ? url : null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Page title="Create a campaign" above={{ to: '/campaigns', label: 'Campaigns' }}>
      <Paper withBorder p="md" maw={640}>
        <form onSubmit={submit}>
          <Stack>
            <BrandSelect required value={brandId} onChange={(value) => set('brandId', value)} />
            <TextInput label="Title" required maxLength={200} {...text('title')} />
            <Textarea label="Description" autosize minRows={2} {...text('description')} />
            <TextInput label="URL of the post" inputMode="url" required {...text('targetUrl')} />
            {post.isFetching && <Text role="status">Looking at the post</Text>}
            {post.data && <PostCard details={post.data} />}
            {post.error && <Failure error={post.error} />}
            <Select
              label="What creators do"
              allowDeselect={false}
              data={ACTIONS}
              value={fields.action}
              onChange={(value) => set('action', value as 'comment' | 'like')}
            />
            {asksForComment && (
              <>
                <details>
                  <summary>Rules for comments</summary>
                  <RulesFields state={rules} />
                </details>
                <Checkbox
                  label="Count comments that the brand hides"
                  checked={fields.countHidden}
                  onChange={({ currentTarget }) => set('countHidden', currentTarget.checked)}
                />
              </>
            )}
            <TextInput
              label="Points for each creator"
              type="number"
              required
              min={0}
              step={1}
              {...text('pointsReward')}
            />
            <RequirementFields state={required} />
            <KeepingFields state={keeping} />
            <Select
              label="Rewards that wait for your approval"
              allowDeselect={false}
              data={Object.entries(REVIEWED).map(([value, label]) => ({ value, label }))}
              value={fields.review}
              onChange={(value) => set('review', value as keyof typeof REVIEWED)}
            />
            <LimitsFields state={limited} />
            <LocalTimeInput label="Starts" description="Empty: at once" {...text('startsAt')} />
            <LocalTimeInput label="Ends" description="Empty: when you end it" {...text('endsAt')} />
            <TextInput
              label="Draw winners with"
              description="A public value of the future, such as “drand round 5000000”. Empty: everybody is rewarded"
              maxLength={200}
              {...text('beacon')}
            />
            {create.error && <Failure error={create.error} />}
            <Button type="submit" loading={create.isPending}>
              Create the campaign
            </Button>
          </Stack>
        </form>
      </Paper>
    </Page>
  );
}
