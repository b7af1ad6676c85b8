/** The pages of the guide in their order, for its sidebar and for `llms.txt`. A test compares the list with the folder. */
export const PAGES = [
  {
    text: 'Start',
    items: [
      { path: 'docs/index.md', text: 'Overview', about: 'where to find what' },
      { path: 'docs/quick-start.md', text: 'Quick start', about: 'from a brand to a reward, embedded and as a host' },
      { path: 'docs/concepts.md', text: 'Concepts', about: 'campaigns, attempts, events, platforms, proofs' },
      { path: 'docs/glossary.md', text: 'Glossary', about: 'the words of the code and the documents' },
      { path: 'README.md', text: 'README', about: 'what it is, in ten lines' },
    ],
  },
  {
    text: 'Recipes',
    items: [
      { path: 'docs/recipes/embed.md', text: 'Embed', about: 'frameworks, bundlers, your own parts' },
      { path: 'docs/recipes/call.md', text: 'Call', about: 'in process, over HTTP, on the command line' },
      {
        path: 'docs/recipes/webhook-receiver.md',
        text: 'Receive webhooks',
        about: 'in TypeScript, Python, Go and PHP',
      },
      {
        path: 'docs/recipes/authentication.md',
        text: 'Your own authentication',
        about: 'sessions and cookies of your backend',
      },
      { path: 'docs/recipes/frameworks.md', text: 'NestJS, Next.js, Hono', about: 'mounting Credence' },
      {
        path: 'docs/recipes/instagram-sessions.md',
        text: 'Instagram sessions',
        about: 'where the cookie is, how many, what it risks',
      },
      { path: 'docs/recipes/production.md', text: 'Production', about: 'TLS, proxy, keys, backups, several hosts' },
      { path: 'docs/recipes/extend.md', text: 'Add a platform, a storage', about: 'adapters of your own' },
      { path: 'docs/recipes/verify-a-proof.md', text: 'Verify a proof', about: 'in a browser and on chain' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { path: 'docs/api.md', text: 'API', about: 'the ways to call it, and its conventions' },
      { path: 'docs/events.md', text: 'Events', about: 'what webhooks and subscribers are told' },
      { path: 'docs/errors.md', text: 'Errors', about: 'every code, and what to do' },
      { path: 'docs/console.md', text: 'The console', about: 'mounting, sign-in, security' },
      { path: 'docs/configuration.md', text: 'Configuration', about: 'every setting, as a variable and in code' },
      {
        path: 'docs/specification/engagement.md',
        text: 'Rules: engagement',
        about: 'what the engagement service must do',
      },
      {
        path: 'docs/specification/web-proofs.md',
        text: 'Rules: web proofs',
        about: 'what the web-proof service must do',
      },
      {
        path: 'adapters/groth16-prover/README.md',
        text: 'Seals on Ethereum',
        about: 'the circuit, the contracts, the ceremony',
      },
    ],
  },
  {
    text: 'Operation',
    items: [
      { path: 'docs/operation.md', text: 'Running it', about: 'starting, sessions, drift, backups, notaries' },
      { path: 'docs/scaling.md', text: 'Past one machine', about: 'several processes, sharding, containers, metrics' },
      { path: 'docs/benchmarks.md', text: 'Benchmarks', about: 'measured speed' },
    ],
  },
  {
    text: 'Trust',
    items: [
      { path: 'docs/web-proofs.md', text: 'Web proofs', about: 'making them, verifying them, what they are worth' },
      { path: 'docs/trust.md', text: 'Trust model', about: 'whom you trust for what' },
      { path: 'docs/guarantees.md', text: 'Guarantees', about: 'what is promised' },
    ],
  },
  {
    text: 'Decisions',
    items: [
      {
        path: 'docs/decisions/index.md',
        text: 'All decisions',
        about: 'what Credence does if the rules leave something open',
      },
      { path: 'docs/decisions/engagement-rules.md', text: 'Engagement rules', about: 'their open points' },
      { path: 'docs/decisions/web-proof-rules.md', text: 'Web-proof rules', about: 'their open points' },
      { path: 'docs/decisions/http-api.md', text: 'The HTTP API', about: 'statuses, bodies, limits' },
      {
        path: 'docs/decisions/creators-and-attempts.md',
        text: 'Creators and attempts',
        about: 'handles, ids, rewards',
      },
      { path: 'docs/decisions/verification.md', text: 'Verification', about: 'matching, and proof of absence' },
      { path: 'docs/decisions/platforms.md', text: 'Platforms', about: 'what is read, from where' },
      { path: 'docs/decisions/webhooks.md', text: 'Webhooks', about: 'secrets, deliveries, subscribers' },
      { path: 'docs/decisions/web-proofs.md', text: 'Web proofs', about: 'redaction, notaries, seals' },
      { path: 'docs/decisions/operation.md', text: 'Running hosts', about: 'keys, storage, several processes' },
      { path: 'docs/adr/README.md', text: 'Records', about: 'the reasons for the big choices' },
    ],
  },
  {
    text: 'Project',
    items: [
      { path: 'CONTRIBUTING.md', text: 'Contributing', about: 'layout, commands, how to add things' },
      { path: 'SECURITY.md', text: 'Security', about: 'how to report a vulnerability' },
    ],
  },
];
