"""The engines that run the pipeline: DuckDB inside this process, or Apache Spark."""

import os
import shutil
import sys
import warnings
import weakref
from math import inf
from typing import Any

from quiff.errors import ParameterError, first_line
from quiff.io import scratch

ENGINES = ("duckdb", "spark")

LEAST = 128 * 10**6
"""Bytes that DuckDB gets in any case."""

_MEBIBYTE = 1024**2
_SPARK_MEMORY = 2048 * _MEBIBYTE
_LEAST_SPARK_MEMORY = 512 * _MEBIBYTE  # Spark refuses to start with less
_APP = "quiff"
_LOOPBACK = "127.0.0.1"
_SPARK_LOGGING = """\
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
logger.writer.name = org.apache.spark.sql.execution.datasources.FileFormatWriter
logger.writer.level = off
"""  # what fails while it writes is told by quiff, or was broken off
_UTC = ("UTC", "Etc/UTC", "GMT", "Z", "+00:00")
_SPARK_SETTINGS = {
    "spark.io.encryption.enabled": "true",  # what a killed run leaves on disk, nobody can read
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
}


def connect(
    engine: str = "duckdb",
    *,
    memory_limit: str | None = None,
    master: str | None = None,
    threads: int | None = None,
) -> Any:
    """Start an engine and return it as an Ibis backend.

    Both take their time zone to be UTC, and keep what does not fit into memory in a temporary folder that
    goes with them, encrypted by Spark. Spark runs inside this machine and listens to nobody else, unless
    `master` is the address of a cluster, such as ``"spark://host:7077"``. A process has one Spark session: if
    one is there already, it is returned as it is, with a warning if it does not encrypt. `memory_limit` is
    such as ``"2GB"`` or ``"500 MiB"``, on a cluster for each of its executors; without one,
    what a limit of the whole run leaves.

    >>> connect(memory_limit="500MB", threads=1).name
    'duckdb'
    """
    if engine not in ENGINES:
        raise ParameterError(what="the engine", value=engine, allowed=f"one of {', '.join(ENGINES)}")
    if threads is not None and threads < 1:
        raise ParameterError(what="threads", value=threads, allowed="1 or more")
    from quiff.core.limits import PROCESS, bytes_of, memory_allowed  # which loads numpy

    limit = None if memory_limit is None else bytes_of(memory_limit)
    if limit is None and memory_allowed() < inf:
        limit = max(int(memory_allowed()) - PROCESS, LEAST)
    if engine == "spark":
        return _connect_spark(limit, master, threads)
    if master is not None:
        raise ParameterError(
            f"the master {master!r} is for the engine spark, not for duckdb", what="the master", value=master
        )
    return _connect_duckdb(limit, threads)


def cancel(con: Any) -> None:
    """End what Spark is at, without a word if it is a session that quiff has started."""
    if con.name != "duckdb":
        context = con._session.sparkContext
        if context.appName == _APP:
            context.setLogLevel("OFF")
        context.cancelAllJobs()


def on_cluster(con: Any) -> bool:
    """Say if an engine runs on other machines, under accounts that may be others."""
    return con.name != "duckdb" and not con._session.sparkContext.master.startswith("local")


def _connect_duckdb(limit: int | None, threads: int | None) -> Any:
    import duckdb
    import ibis

    folder = scratch.make_temporary("duckdb")
    settings: dict[str, Any] = {
        "temp_directory": str(folder),
        "autoinstall_known_extensions": False,  # nothing is fetched from a network
    }
    if limit is not None:
        settings["memory_limit"] = f"{limit}B"
    if threads is not None:
        settings["threads"] = threads
    try:
        backend = ibis.duckdb.connect(**settings)
    except duckdb.Error as error:
        scratch.drop(folder)
        raise ParameterError(f"DuckDB does not start: {first_line(error)}") from error
    if backend.con.execute("SELECT current_setting('enable_progress_bar')").fetchone() != (False,):
        # It would stand among the results; in notebooks it is off, and DuckDB refuses to be told so.
        backend.con.execute("SET enable_progress_bar = false")
    weakref.finalize(backend, scratch.drop, folder)
    scratch.interruptible(backend.con)
    return backend


def _connect_spark(limit: int | None, master: str | None, threads: int | None) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ParameterError("the engine spark is not there; install quiff with its extra spark") from error
    import ibis

    session = SparkSession.getActiveSession()
    if session is None:
        session = _start_spark(limit, master, threads)
    else:
        _check_session(session)
    running = session.sparkContext.master
    if master is not None and running != master:
        raise ParameterError(f"the master {master!r} cannot be used: Spark runs at {running!r} already")
    return ibis.pyspark.connect(session)


def _check_session(session: Any) -> None:
    """Refuse a session that would shift times, and warn of one that does not encrypt what it writes."""
    zone = session.conf.get("spark.sql.session.timeZone")
    if zone not in _UTC:
        raise ParameterError(
            f"the Spark session that is there already has the time zone {zone!r}, so that visits would change"
            " their days; call session.conf.set('spark.sql.session.timeZone', 'UTC')"
        )
    if session.sparkContext.getConf().get("spark.io.encryption.enabled", "false") != "true":
        warnings.warn(
            "the Spark session that is there already does not encrypt what it puts on disk, where a killed"
            " run may leave names and URLs; start it with spark.io.encryption.enabled=true, or let quiff"
            " start it",
            stacklevel=4,
        )


def _start_spark(limit: int | None, master: str | None, threads: int | None) -> Any:
    from pyspark.sql import SparkSession

    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise ParameterError("the engine spark needs Java 17 or newer; there is no java on the path")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not the first Python on the path
    if master is None:
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    per_executor = {} if limit is None else {"spark.executor.memory": f"{limit // _MEBIBYTE}m"}
    settings = per_executor if master else _local_settings(limit, threads)
    builder = SparkSession.builder.appName(_APP).master(master or f"local[{threads or '*'}]")
    for name, value in (_SPARK_SETTINGS | settings).items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # Java's, Spark's or the system's own
        raise ParameterError(f"Spark does not start: {first_line(error)}") from error


def _local_settings(limit: int | None, threads: int | None) -> dict[str, str]:
    """Return what suits one machine: no pages, no other machine, few partitions, no folder left behind."""
    folder = scratch.make_temporary("spark")
    logging = folder / "log4j2.properties"
    logging.write_text(_SPARK_LOGGING)
    memory = _SPARK_MEMORY if limit is None else max(limit, _LEAST_SPARK_MEMORY)
    return {
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.as_uri()}",
        "spark.driver.host": _LOOPBACK,
        "spark.driver.memory": f"{memory // _MEBIBYTE}m",
        "spark.sql.shuffle.partitions": str(2 * (threads or os.cpu_count() or 1)),
        "spark.local.dir": str(folder),  # what a killed run leaves there goes with the next one
        "spark.sql.warehouse.dir": str(folder),
        "spark.ui.enabled": "false",
    }
