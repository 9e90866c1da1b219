"""The recipe for an API gives one that can be measured and compared, and keeps within its capacity."""

import json
import math

import pytest
from kitchen import follow

pytestmark = pytest.mark.slow  # a copy of the code, and processes of its own

MEASURED = """
import json
import numpy as np
import quiff
people = quiff.Population.synthetic(500, seed=1)
api = quiff.QuestionAPI(people.topics[0], noise=0.2)
C, chance = api.channel(people), np.random.default_rng(1).dirichlet(np.ones(500), size=20)
priors = [quiff.Prior(dict(zip(people.users, row.tolist()))) for row in chance]
compared = quiff.compare_apis(people, quiff.Cookies(), quiff.TopicsAPI(), api)
print(json.dumps({
    "uniform": quiff.leakage(people.user_prior(), C),
    "others": [quiff.leakage(prior, C) for prior in priors],
    "capacity": quiff.bayes_capacity(C),
    "epsilon": quiff.epsilon(C),
    "compared": [[stage.api, stage.stage, stage.leakage] for stage in compared.stages],
    "table": compared.table().to_text(),
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
    names = ["cookies", "topics_api", "question_api"]
    assert list(dict.fromkeys(api for api, _, _ in found["compared"])) == names
    assert found["compared"][-1] == ["question_api", "question_api", pytest.approx(1.8)]
    assert "question_api" in found["table"]
