/** English. The other languages follow its names and placeholders. */
export const en = {
  title: 'Connect your {platform} account',
  purpose: 'This links your {platform} profile to the account {account}.',
  purposeAt: 'This links your {platform} profile to the account {account} at {site}.',
  notYours: 'If that is not your account, close this page and do not use the code.',
  instruction: 'Show that the profile is yours by putting this one-time code into its bio:',
  copy: 'Copy the code',
  copied: 'Copied.',
  copyByHand: 'The code is selected. Copy it with your keyboard or the menu.',
  stepEdit: 'Open {platform} and edit your profile.',
  stepPaste: 'Add the code anywhere in your bio and save.',
  stepReturn: 'Come back and check. You can remove the code afterwards.',
  handle: 'Your {platform} handle',
  handleExample: '@name',
  profile: 'Profile: {handle}',
  check: 'Check my profile',
  checking: 'Reading your {platform} profile. This takes up to {seconds} seconds.',
  oneCheckLeft: 'One check left.',
  checksLeft: '{count} checks left.',
  validUntil: 'The link works until {time}.',
  proofTitle: 'With a web proof instead',
  proofSteps:
    'Let a prover that is logged in to {platform} prove one of these addresses. Send the code with the request, visibly: as the header {header}, or as the parameter {parameter}. Hide your cookies and nothing of the answer.',
  back: 'Go back to {site}',
  connectedTitle: 'Your {platform} account is connected',
  connected: '{handle} is linked to the account {account}.',
  connectedAt: '{handle} is linked to the account {account} at {site}.',
  afterwards: 'You can remove the code from your bio and close this page.',
  expiredTitle: 'This link has expired',
  expired: 'Ask for a new link where you started and try again.',
  failedTitle: 'Too many checks',
  failed:
    'The code was not found in {count} checks, so this link no longer works. Ask for a new one where you started.',
  missingTitle: 'There is no such link',
  missing: 'Ask for a new link where you started.',
  unavailable: 'This page cannot be shown right now. Try again in a minute.',
  notInBio: 'The code is not in the bio of {handle} yet. Save your profile, wait a moment and check again.',
  badHandle: 'Enter your {platform} handle, for example @name.',
  noProfile: 'There is no such profile. Check the spelling of your handle.',
  privateProfile: 'The profile is private. Make it public for a moment, then check again.',
  busy: 'Another check of this link is under way. Wait a moment and check again.',
  tooOften: 'There are too many checks right now. Try again in a few minutes.',
  unreadable: 'The platform cannot be read right now. Try again in a minute.',
  unsupported: 'Profiles of {platform} cannot be checked here.',
  unreachable: 'The check could not be made. Look at your connection and try again in a minute.',
} as const;

/** The name of a text. */
export type TextName = keyof typeof en;

/** All texts of one language; `{name}` is a placeholder of the same name as in English. */
export type ConnectTexts = Readonly<Record<TextName, string>>;
