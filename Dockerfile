# The server of one machine, as its package has it: docker compose up, or docker build .
FROM node:24.9.0-bookworm-slim@sha256:3e69116c924bfcba6c6979aff60d966c37aef56d488ce091c69d442ebec9f103 AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run package \
  && mkdir /packed \
  && npm pack --pack-destination /packed ./dist/router \
  && npm install --prefix /app /packed/mcp-sampling-router-*.tgz \
  && rm -rf /app/node_modules/@libsql/*-musl

FROM node:24.9.0-bookworm-slim@sha256:3e69116c924bfcba6c6979aff60d966c37aef56d488ce091c69d442ebec9f103
COPY --from=build /app /app
ENV HOST=0.0.0.0 STATE_DIR=/data NODE_ENV=production
RUN install -d -o node -g node -m 700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8787) + '/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=32", "/app/node_modules/mcp-sampling-router/bin.js"]
