"""The recipe for an API gives one that can be measured and compared, and keeps within its capacity."""

import json
import math

import pytest
from kitchen import follow

MEASURED = """
import json
import numpy as np
import quiff
from quiff.testing import check_api
people = quiff.Population.synthetic(500, seed=1)
api = quiff.QuestionAPI(people.topics[0], noise=0.2)
C, laws = api.channel(people), np.random.default_rng(1).dirichlet(np.ones(500), size=20)
priors = [quiff.Prior(dict(zip(people.users, row.tolist()))) for row in laws]
compared = quiff.measure(people, quiff.Cookies(), quiff.TopicsAPI(), api)
print(json.dumps({
    "uniform": quiff.leakage(people.user_prior(), C),
    "others": [quiff.leakage(prior, C) for prior in priors],
    "capacity": quiff.bayes_capacity(C),
    "epsilon": quiff.epsilon(C),
    "compared": [[row.api, row.stage, row.value] for row in compared.rows if row.quantity == "leakage"],
    "table": compared.tables["privacy"].to_text(),
    "checks": len(check_api(quiff.api_from("question:topic=1,noise=0.2"), people)),
}, default=float))
"""


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    return follow("Add an API", tmp_path_factory.mktemp("api"))


def test_the_recipe_passes_all_gates(kitchen):
    kitchen.passes_the_gates()


def test_the_new_api_is_measured_and_compared_and_keeps_within_its_capacity(kitchen):
    found = json.loads(kitchen.python("-c", MEASURED).stdout)
    assert found["capacity"] == pytest.approx(2 - 0.2)
    assert found["uniform"] == pytest.approx(2 - 0.2)  # one of those who say yes, one of those who say no
    assert all(1 - 1e-9 <= leakage <= 1.8 + 1e-9 for leakage in found["others"])
    assert found["epsilon"] == pytest.approx(math.log(1.8 / 0.2))
    name = "question:noise=0.2"  # the topic is the default, 1
    assert list(dict.fromkeys(api for api, _, _ in found["compared"])) == ["cookies", "topics", name]
    assert found["compared"][-1] == [name, "question", pytest.approx(1.8)]
    assert "one question" in found["table"]
    assert found["checks"] == 22
