#!/usr/bin/env python3
"""A program for the fetcher exec: reads the numbered notices of a bulletin.

It gets one JSON line on its input and writes one JSON value a line. A checkpoint
says: all before it may be stored, and the next run goes on there.
"""
import json
import sys
import urllib.error
import urllib.request


def say(what, /, **more):
    print(json.dumps({"type": what, **more}, ensure_ascii=False), flush=True)


def ask(url, after):
    with urllib.request.urlopen(f"{url}?after={after}", timeout=60) as answer:
        return json.load(answer)


def main():
    told = json.loads(sys.stdin.readline())
    after = 0 if told["force_refresh"] else (told["checkpoint"] or 0)
    while True:
        page = ask(told["config"]["url"], after)
        for n in page["notices"]:
            after = max(after, n["number"])
            say("document", id=f"{page['bulletin']}/{n['number']}", kind="notice", title=n["title"], published=n["date"], body=n["text"])
        say("checkpoint", value=after, not_modified=not page["notices"] and after > 0)
        if not page["more"]:
            return


if __name__ == "__main__":
    try:
        main()
    except urllib.error.HTTPError as e:
        wait = e.headers.get("Retry-After", "")
        kind = {429: "throttled", 404: "gone", 401: "blocked", 403: "blocked"}.get(e.code, "server_error")
        say("error", error=kind, message=str(e), retry_after=int(wait) if wait.isdigit() else 0)
        sys.exit(1)
    except (urllib.error.URLError, TimeoutError) as e:
        say("error", error="unreachable", message=str(e))
        sys.exit(1)
