"""memotheca reindex: make the search index anew, or with another embedder."""

import argparse

from memotheca.admin.upkeep import index_everything, rebuild
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, at_least, print_json, progress
from memotheca.jobs.queue import enqueue
from memotheca.model.knowledge import counted
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.embed import choose_chunk_size
from memotheca.vectors.load import settle

EPILOG = """examples:
  memotheca reindex                           make all anew from the journal
  memotheca reindex --chunk-size 800          cut documents otherwise from now
  memotheca reindex --embedder none           search by words alone
  memotheca reindex --embedder gte-small      the model Memotheca comes with
  memotheca reindex --embedder minilm         another one, where it is installed
  memotheca reindex --embedder openai:nomic-embed-text@http://127.0.0.1:11434/v1
  memotheca reindex --embedder onnx:FOLDER    with model.onnx and tokenizer.json

The embedder is a setting of the collection: every client of it follows. While
vectors are made, search goes on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--embedder", metavar="NAME", help="use this embedder from now on")
    parser.add_argument(
        "--chunk-size", type=at_least(1), metavar="N", help="cut documents into passages of up to N characters"
    )
    parser.add_argument("--no-wait", action="store_true", help="leave the vectors to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed, begins=parsed.embedder is not None).kernel
    versions = 0
    if parsed.embedder:
        setting, voice = settle(parsed.embedder)
        choose_embedder(kernel.store, kernel.collection, setting, voice)
    if parsed.chunk_size is not None:
        choose_chunk_size(kernel.store, kernel.collection, parsed.chunk_size)
    if parsed.chunk_size is not None or not parsed.embedder:
        with progress("indexing", quiet=parsed.json) as report:
            versions = rebuild(kernel, report)
    embedded, task = 0, None
    if parsed.no_wait:
        task = enqueue(kernel, "index", {}, actor=ACTOR).id
    else:
        with progress("embedding", quiet=parsed.json) as report:
            embedded = index_everything(kernel, report)
    if parsed.json:
        print_json({"versions": versions, "embedded": embedded, **({"task_id": task} if task else {})})
    else:
        say(f"Went through {counted(versions, 'version')}, made vectors for {counted(embedded, 'passage')}.")
    return 0
