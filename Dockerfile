# The manifests alone: an install is repeated only when one of them changes.
FROM node:24-bookworm AS manifests
WORKDIR /app
COPY . .
RUN mkdir /manifests && cp --parents package.json package-lock.json */*/package.json /manifests

FROM node:24-bookworm AS packages
WORKDIR /app
COPY --from=manifests /manifests ./
# Optional peers that no package of the workspaces depends on become dependencies of the same tree, in the versions of the lock
# file: merged in from a tree of their own they would meet other versions of what they need.
RUN for name in bullmq ioredis mongodb pg; do \
    npm pkg set "dependencies.$name=$(node -p "require('./package.json').devDependencies['$name']")" \
    && npm pkg delete "devDependencies.$name" \
    || exit 1; \
  done \
  && npm install --omit=dev --no-audit --no-fund
# They are loaded only when they are needed; find out here what cannot be loaded.
RUN node --input-type=module -e "for (const name of ['better-sqlite3', 'bullmq', 'fastify', 'ioredis', 'mongodb', 'pg', 'pkijs']) await import(name); process.exit()"

FROM node:24-bookworm AS build
WORKDIR /app
COPY --from=manifests /manifests ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && mkdir /built && cp --parents -r package.json LICENSE README.md dist [aph]*/*/package.json [aph]*/*/dist /built

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /built ./
RUN mkdir /data && chown node:node /data
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
USER node
EXPOSE 3000
CMD ["node", "dist/host-main.js"]
