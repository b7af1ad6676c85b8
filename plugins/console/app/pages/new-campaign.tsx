/** Creates a campaign: the post can be checked before. */
import type { CredenceClient } from '@credence/client';
import { Checkbox, Paper, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { BrandSelect, useBrands } from '../parts/brands.tsx';
import {
  DrawPart,
  FormPart,
  LimitsPart,
  PayingPart,
  RequirementsPart,
  RulesFields,
  useLimits,
  useRequirements,
  useTerms,
} from '../parts/campaign-parts.tsx';
import { campaignState, rulesText } from '../parts/campaign-words.ts';
import { fieldsOf, rulesOf } from '../parts/comment-rules.ts';
import { Failure } from '../parts/failure.tsx';
import { Form, optionsOf, useFields, useValue } from '../parts/form.tsx';
import { LocalTimeInput, utcOf } from '../parts/local-time.tsx';
import { navigate } from '../parts/location.ts';
import { Page } from '../parts/page.tsx';
import { PostCard, usePost } from '../parts/post-card.tsx';
import { useSession } from '../session.tsx';

/** The post is looked for when nobody has typed for so long. */
const CALM_MS = 600;

const ACTIONS = { comment: 'Comment on the post', like: 'Like the post' } as const;

/** What the fields hold. Times are local, as `datetime-local` has them. */
const EMPTY = {
  brandId: null as string | null,
  title: '',
  description: '',
  targetUrl: '',
  action: 'comment' as keyof typeof ACTIONS,
  instructionText: '',
  countHidden: false,
  pointsReward: '100',
  startsAt: '',
  endsAt: '',
};

export default function NewCampaign() {
  const { caller } = useSession();
  const { fields, choice, text, check } = useFields(EMPTY);
  const rules = useValue(fieldsOf(null), rulesOf);
  const asksForComment = fields.action === 'comment';
  const required = useRequirements();
  const paying = useTerms();
  const limited = useLimits();
  const { data: brands = [] } = useBrands();
  // The only one needs no choice.
  const only = caller.brandId ?? (brands.length === 1 ? brands[0]?.id : undefined);
  const brandId = fields.brandId ?? (only === undefined ? null : String(only));
  const create = (client: CredenceClient) =>
    client.campaigns.create({
      brandId: Number(brandId),
      title: fields.title,
      description: fields.description || null,
      pointsReward: Number(fields.pointsReward),
      startsAt: utcOf(fields.startsAt),
      endsAt: utcOf(fields.endsAt),
      terms: paying.value,
      limits: limited.value,
      challenge: {
        targetUrl: fields.targetUrl,
        ...(fields.instructionText !== '' && { instructionText: fields.instructionText }),
        action: fields.action,
        countHidden: asksForComment && fields.countHidden,
        rules: asksForComment ? rules.value : null,
        requires: required.value,
      },
    });
  const [url] = useDebouncedValue(fields.targetUrl.trim(), CALM_MS);
  const post = usePost(/[^\s.]\.[^\s.]\S*\//.test(url) ? url : null);
  return (
    <Page title="Create a campaign" above={{ to: '/campaigns', label: 'Campaigns' }}>
      <Paper withBorder p="md" maw={640}>
        <Form
          run={create}
          done={({ campaign }) => `The campaign “${campaign.title}” is ${campaignState(campaign)}.`}
          onDone={({ campaign }) => navigate(`/campaigns/${campaign.id}`)}
          submitLabel="Create the campaign"
        >
          <BrandSelect required {...choice('brandId')} value={brandId} />
          <TextInput label="Title" required maxLength={200} {...text('title')} />
          <TextInput label="URL of the post" inputMode="url" required {...text('targetUrl')} />
          {post.isFetching && <Text role="status">Looking at the post</Text>}
          {post.data && <PostCard details={post.data} />}
          {post.error && <Failure error={post.error} />}
          <Select label="What creators do" data={optionsOf(ACTIONS)} {...choice('action')} />
          <Textarea
            label="Instruction to creators"
            description="Empty: the usual sentence"
            autosize
            {...text('instructionText')}
          />
          <TextInput label="Points for each creator" type="number" required min={0} {...text('pointsReward')} />
          {asksForComment && (
            <FormPart title="Comments that count" says={rulesText(rules.value, fields.countHidden)}>
              <RulesFields state={rules.state} />
              <Checkbox label="Count comments that the brand hides" {...check('countHidden')} />
            </FormPart>
          )}
          <RequirementsPart of={required} />
          <PayingPart of={paying} />
          <LimitsPart of={limited} />
          <DrawPart of={paying} />
          <FormPart title="Description and dates" says={aboutText(fields)}>
            <Textarea label="Description" autosize minRows={2} {...text('description')} />
            <LocalTimeInput label="Starts" description="Empty: at once" {...text('startsAt')} />
            <LocalTimeInput label="Ends" description="Empty: when you end it" {...text('endsAt')} />
          </FormPart>
        </Form>
      </Paper>
    </Page>
  );
}

function aboutText({ description, startsAt, endsAt }: typeof EMPTY): string {
  const at = (local: string) => new Date(local).toLocaleString();
  const starts = startsAt === '' ? 'Starts at once' : `Starts ${at(startsAt)}`;
  const ends = endsAt === '' ? 'ends when you end it' : `ends ${at(endsAt)}`;
  return `${description === '' ? 'No description' : 'With a description'}. ${starts}, and ${ends}.`;
}
