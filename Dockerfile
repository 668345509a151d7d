# Builds the image of the server, the sync and the other commands. docs/one-machine.md explains it.
# The base image is pinned by the digest of its index, which has all platforms. For another version of Node.js, look it up with
# `docker buildx imagetools inspect node:26.10.0-trixie-slim`.
ARG BASE=node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1

FROM ${BASE} AS packages
WORKDIR /srv/grants
COPY package.json package-lock.json .npmrc ./
# Never with --omit=optional: DuckDB's binaries for each platform are optional packages.
RUN npm ci --omit=dev

FROM ${BASE} AS site
WORKDIR /srv/grants
COPY package.json tsconfig.json ./
COPY site/package.json site/package-lock.json site/.npmrc site/
RUN npm ci --prefix site
COPY api-static/contract api-static/contract
COPY api-static/openapi api-static/openapi
COPY site site
RUN cd site && node node_modules/vite/bin/vite.js build --logLevel warn

FROM ${BASE} AS service
WORKDIR /srv/grants
# The owner of a new volume is the owner of the image's folder.
RUN install --directory --owner=1000 --group=1000 /data /warehouse
COPY package.json ./
COPY --from=packages /srv/grants/node_modules node_modules
COPY --from=site /srv/grants/site/dist site/dist
COPY api-static api-static
COPY pipeline pipeline
COPY tools/sample tools/sample
ENV NODE_ENV=production NODE_OPTIONS=--disable-warning=ExperimentalWarning
ENV DATA=/data WAREHOUSE=/warehouse HOST=0.0.0.0 PORT=8080
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]
CMD ["api-static/server/main.ts"]
