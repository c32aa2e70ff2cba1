# Built in one image, run in another that holds the program and nothing to build with.
#
#   docker build -t fieldlift .
#   docker run -p 8080:8080 -v fieldlift:/data fieldlift
#
# In production set FIELDLIFT_ENV=production, and see docs/OPERATIONS.md for PostgreSQL.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -tags nodynamic -trimpath -ldflags '-s -w' -o /fieldlift ./cmd/fieldlift && mkdir /data

FROM node:22-bookworm-slim AS models
COPY tools/models /tools/models
RUN /tools/models /models

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates tesseract-ocr && rm -rf /var/lib/apt/lists/*
COPY --from=build /fieldlift /usr/local/bin/fieldlift
COPY --from=models /models /usr/local/share/fieldlift/ocr
# An unprivileged user; the folder is his, so that a new volume is too.
COPY --from=build --chown=10001:10001 /data /data
USER 10001:10001
ENV FIELDLIFT_DATA=/data FIELDLIFT_LISTEN=:8080
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["fieldlift"]
CMD ["serve"]
