# One image for every role of a fleet: the command after `tenax` says which; and one more, three
# times as large, for workers with a browser.
#   docker build -t tenax .
#   docker run --rm tenax demo
#   docker build -t tenax:browser --target browser .

FROM python:3.13-slim-bookworm AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
# For the extension in native/. It stays in this stage: it would be the largest thing in the image.
# Which version compiles it matters less than that its security fixes are in.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/tenax
# Before the source: these layers change only with the locked versions. Wheels only, so that what
# others wrote is installed as it was tested, and not compiled here from other files.
COPY requirements/fleet.txt requirements/
RUN /opt/tenax/bin/pip install --no-deps --require-hashes --only-binary :all: \
        -r requirements/fleet.txt
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY native/ native/
COPY src/ src/
# What `tenax serve` shows; its tools stay in this stage, too.
COPY requirements/console.txt requirements/
COPY console/ console/
RUN /opt/tenax/bin/python console/build.py
# Elsewhere the extension may be missing; an image without it would only be slow, and never say why.
RUN /opt/tenax/bin/pip install --no-deps . \
    && /opt/tenax/bin/python -c "import tenax.page._native" \
    && /opt/tenax/bin/python -m compileall -q /opt/tenax/lib

FROM build AS build-fleet
RUN /opt/tenax/bin/pip uninstall --yes --quiet pip

FROM build AS build-browser
COPY requirements/browser.txt requirements/
RUN /opt/tenax/bin/pip install --no-deps --require-hashes --only-binary :all: \
        -r requirements/browser.txt \
    && /opt/tenax/bin/python -m compileall -q /opt/tenax/lib \
    && /opt/tenax/bin/pip uninstall --yes --quiet pip

FROM python:3.13-slim-bookworm AS fleet
LABEL org.opencontainers.image.title="Tenax" \
      org.opencontainers.image.description="A web crawler that holds on" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data tenax \
    && install --directory --owner tenax --group tenax /data
COPY --from=build-fleet /opt/tenax /opt/tenax
ENV PATH=/opt/tenax/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TENAX_DATA=/data \
    TENAX_HEALTH__HOST=0.0.0.0 \
    TENAX_HEALTH__PORT=8080
# By number, so that Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
# What `tenax worker`, `scheduler`, `relay` and `serve` answer; others end before it matters.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/health/live', timeout=4)"]
ENTRYPOINT ["tenax"]
CMD ["--help"]

# The same with a Chromium and what drives it: `tenax worker` reads what waits for a browser, too.
FROM fleet AS browser
USER 0:0
# Which version it is matters less than that its security fixes are in.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium fonts-liberation \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build-browser /opt/tenax /opt/tenax
ENV TENAX_BROWSER__EXECUTABLE=/usr/bin/chromium
USER 10001:10001

# The last stage is what is built when none is named.
FROM fleet
