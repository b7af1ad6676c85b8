# Two images from one file: `--target host` (the default) and `--target notary`.

FROM node:24-bookworm AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
# Optional peers that the host can use: the zero-knowledge prover and the Redis queue, in the versions of the lock file.
RUN version() { node -p "require('./package-lock.json').packages['node_modules/$1'].version"; } \
  && npm install --prefix /extras --no-audit --no-fund "snarkjs@$(version snarkjs)" "bullmq@$(version bullmq)" \
  && cp -rn /extras/node_modules/. node_modules/

FROM node:24-bookworm-slim AS base
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE README.md ./
COPY core ./core
COPY adapters ./adapters
COPY plugins ./plugins
# The notary's host shares the server and the logger with it.
COPY hosts/standalone ./hosts/standalone
RUN mkdir /data && chown node:node /data
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

FROM base AS notary
COPY hosts/notary ./hosts/notary
ENV PORT=7047 NOTARY_KEY_FILE=/data/notary.key
USER node
EXPOSE 7047
CMD ["node", "hosts/notary/main.ts"]

FROM base AS host
ENV PORT=3000 DATA_DIR=/data
USER node
EXPOSE 3000
CMD ["node", "hosts/standalone/main.ts"]
